import { recordAudit } from '../../lib/access/audit-log.ts';
import { inTransaction } from '../../lib/mongo/transaction.ts';
import type { Handler } from '../route.ts';
import { type ChangeUserBody, noSuchUser, presentUser, userSchema } from './user.ts';
import { operation, type Operation } from '../http/operation.ts';

const facts: Operation = {
  id: 'changeUser',
  summary: 'Change the name of a user',
  example: { name: 'Ada' },
  answers: { 200: { description: 'The user', schema: userSchema } },
};

/** Writes nothing if the name is unchanged. Throws `not_found`. */
export const changeUser: Handler<ChangeUserBody> = operation(facts, async (request, context) => {
  const { appUid, params, body, caller } = request;
  const { store } = context;
  const _id = params['userUid'] ?? '';
  const now = context.clock.now();
  const user = await inTransaction(store, async (session) => {
    const before = await store.users.findOne({ _id, appUid, deletedAt: null }, { session });
    if (before === null) throw noSuchUser();
    const { name = before.name } = body;
    if (name === before.name) return before;
    const fields = { name, updatedAt: now };
    await store.users.updateOne({ _id, appUid }, { $set: fields }, { session });
    // Omits the name, because an audit row outlives the user.
    const entry = { appUid, action: 'user.updated', target: { kind: 'user', uid: _id } };
    await recordAudit(store, entry, { caller, now, session });
    return { ...before, ...fields };
  });
  return { status: 200, body: presentUser(user) };
});
