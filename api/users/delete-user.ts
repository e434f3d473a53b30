import { recordAudit } from '../../lib/access/audit-log.ts';
import { eraseUser } from '../../lib/identity/users.ts';
import { recordChange } from '../changes/record-change.ts';
import type { Handler } from '../route.ts';
import { noSuchUser } from './user.ts';
import { operation, type Operation } from '../http/operation.ts';

const facts: Operation = {
  id: 'deleteUser',
  summary: 'Delete a user',
  description: 'The call erases the identity of the user and revokes the tokens.',
  answers: { 204: { description: 'Done' } },
};

/** Keeps the uid reserved: the same identity signs in as a new user. Throws `not_found`. */
export const deleteUser: Handler = operation(facts, async ({ appUid, params, caller }, context) => {
  const { store } = context;
  const userUid = params['userUid'] ?? '';
  const recording = { appUid, key: null, entities: ['user'] } as const;
  await recordChange(context, recording, async (session, now) => {
    const epoch = await eraseUser(store, { appUid, userUid }, { now, session });
    if (epoch === null) throw noSuchUser();
    const entry = { appUid, action: 'user.deleted', target: { kind: 'user', uid: userUid } };
    await recordAudit(store, entry, { caller, now, session });
    const data = { uid: userUid, revokedAt: now, epoch };
    return { answer: null, changes: [{ event: 'user.tokens_revoked', data }] };
  });
  return { status: 204 };
});
