// GET …/sdkusers/{userUid}: one user.
import type { Handler } from '../router.ts';
import { noSuchUser, presentUser } from './user.ts';

export const getUser: Handler = async ({ appUid, params }, context) => {
  const filter = { _id: params['userUid'] ?? '', appUid, deletedAt: null };
  const user = await context.store.users.findOne(filter);
  if (user === null) throw noSuchUser();
  return { status: 200, body: presentUser(user) };
};
