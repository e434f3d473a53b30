import { recordAudit } from '../../lib/access/audit-log.ts';
import { revokeAppTokens } from '../../lib/identity/token-epochs.ts';
import { recordChange } from '../changes/record-change.ts';
import type { Handler } from '../route.ts';
import { operation, type Operation } from '../http/operation.ts';

const facts: Operation = {
  id: 'revokeTokens',
  summary: 'Revoke the tokens of all users',
  answers: { 204: { description: 'Done' } },
};

/** Ends all tokens issued so far. Users can sign in again immediately. */
export const revokeTokensOfApp: Handler = operation(facts, async ({ appUid, caller }, context) => {
  const { store } = context;
  const recording = { appUid, key: null, entities: ['application'] } as const;
  await recordChange(context, recording, async (session, now) => {
    const epoch = await revokeAppTokens(store, appUid, session);
    const entry = { appUid, action: 'app.tokens_revoked', target: { kind: 'app', uid: appUid } };
    await recordAudit(store, entry, { caller, now, session });
    const data = { uid: appUid, revokedAt: now, epoch };
    return { answer: null, changes: [{ event: 'application.tokens_revoked', data }] };
  });
  return { status: 204 };
});
