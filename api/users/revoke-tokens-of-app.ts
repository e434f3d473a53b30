import { recordAudit } from '../../lib/access/audit-log.ts';
import { inTransaction } from '../../lib/mongo/transaction.ts';
import { revokeAppTokens } from '../../lib/identity/token-epochs.ts';
import type { Handler } from '../router.ts';
import { operation, type Operation } from '../http/operation.ts';

const facts: Operation = {
  id: 'revokeTokens',
  summary: 'Revoke the tokens of all users',
  answers: { 204: { description: 'Done' } },
};

/** Ends all tokens issued so far. Users can sign in again immediately. */
export const revokeTokensOfApp: Handler = operation(facts, async ({ appUid, caller }, context) => {
  const { store } = context;
  const now = context.clock.now();
  await inTransaction(store, async (session) => {
    await revokeAppTokens(store, appUid, session);
    const entry = { appUid, action: 'app.tokens_revoked', target: { kind: 'app', uid: appUid } };
    await recordAudit(store, entry, { caller, now, session });
  });
  return { status: 204 };
});
