import { recordAudit } from '../../lib/access/audit-log.ts';
import { inTransaction } from '../../lib/mongo/transaction.ts';
import { revokeUserTokens } from '../../lib/identity/token-epochs.ts';
import type { Handler } from '../router.ts';
import { noSuchUser } from './user.ts';
import { operation, type Operation } from '../http/operation.ts';

const facts: Operation = {
  id: 'revokeUserTokens',
  summary: 'Revoke the tokens of a user',
  answers: { 204: { description: 'Done' } },
};

/** Ends all tokens issued so far. The user can sign in again immediately. Throws `not_found`. */
export const revokeTokensOfUser: Handler = operation(
  facts,
  async ({ appUid, params, caller }, context) => {
    const { store } = context;
    const userUid = params['userUid'] ?? '';
    const now = context.clock.now();
    await inTransaction(store, async (session) => {
      if (!(await revokeUserTokens(store, { appUid, userUid }, session))) throw noSuchUser();
      const target = { kind: 'user', uid: userUid };
      const entry = { appUid, action: 'user.tokens_revoked', target };
      await recordAudit(store, entry, { caller, now, session });
    });
    return { status: 204 };
  },
);
