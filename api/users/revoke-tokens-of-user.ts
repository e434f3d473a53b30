import { recordAudit } from '../../lib/access/audit-log.ts';
import { revokeUserTokens } from '../../lib/identity/token-epochs.ts';
import { recordChange } from '../changes/record-change.ts';
import type { Handler } from '../route.ts';
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
    const recording = { appUid, key: null, entities: ['user'] } as const;
    await recordChange(context, recording, async (session, now) => {
      const epoch = await revokeUserTokens(store, { appUid, userUid }, session);
      if (epoch === null) throw noSuchUser();
      const target = { kind: 'user', uid: userUid };
      const entry = { appUid, action: 'user.tokens_revoked', target };
      await recordAudit(store, entry, { caller, now, session });
      const data = { uid: userUid, revokedAt: now, epoch };
      return { answer: null, changes: [{ event: 'user.tokens_revoked', data }] };
    });
    return { status: 204 };
  },
);
