import { recordAudit } from '../../lib/access/audit-log.ts';
import { revokeToken as revokeTokenOf } from '../../lib/identity/tokens.ts';
import { AppError } from '../../lib/platform/errors.ts';
import { recordChange } from '../changes/record-change.ts';
import type { Handler } from '../route.ts';
import { operation, type Operation } from '../http/operation.ts';
import { findUser } from './user.ts';

const facts: Operation = {
  id: 'revokeUserToken',
  summary: 'Revoke one token of a user',
  description: 'The other tokens of the user stay valid.',
  answers: { 204: { description: 'Done' } },
};

/** Revokes a token by its claim `jti`, also if the list lacks it. Throws `not_found`. */
export const revokeToken: Handler = operation(facts, async (request, context) => {
  const { appUid, params, caller } = request;
  const { store } = context;
  const { userUid = '', tokenUid = '' } = params;
  const recording = { appUid, key: null, entities: ['user'] } as const;
  await recordChange(context, recording, async (session, now) => {
    await findUser(request, context, session);
    const revoked = await revokeTokenOf(store, { appUid, userUid, tokenUid }, { now, session });
    if (revoked === null) throw new AppError('not_found', 'there is no such token, or it is over');
    const { expiresAt, wasRevoked } = revoked;
    if (wasRevoked) return { answer: null, changes: [] };
    const target = { kind: 'user', uid: userUid };
    const entry = { appUid, action: 'user.token_revoked', target, details: { tokenUid } };
    await recordAudit(store, entry, { caller, now, session });
    const data = { uid: userUid, tokenUid, revokedAt: now, expiresAt };
    return { answer: null, changes: [{ event: 'user.token_revoked', data }] };
  });
  return { status: 204 };
});
