import type { Handler } from '../router.ts';
import { noSuchUser, presentUser, userSchema } from './user.ts';
import { operation, type Operation } from '../http/operation.ts';

const facts: Operation = {
  id: 'getUser',
  summary: 'Get a user',
  answers: { 200: { description: 'The user', schema: userSchema } },
};

export const getUser: Handler = operation(facts, async ({ appUid, params }, context) => {
  const filter = { _id: params['userUid'] ?? '', appUid, deletedAt: null };
  const user = await context.store.users.findOne(filter);
  if (user === null) throw noSuchUser();
  return { status: 200, body: presentUser(user) };
});
