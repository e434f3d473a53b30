// GET …/accounts/{accountUid}/members: the users in an account, newest first.
import { readPage } from '../../lib/mongo/paging.ts';
import { listHandler } from '../http/list-handler.ts';
import { presentUser } from '../users/user.ts';
import { noSuchAccount } from './account.ts';

export const listMembers = listHandler({}, async ({ appUid, params, page }, context) => {
  const { accounts, users } = context.store;
  const accountUid = params['accountUid'] ?? '';
  if ((await accounts.findOne({ _id: accountUid, appUid })) === null) throw noSuchAccount();
  const { items, lastUid } = await readPage(users, { appUid, accountUids: accountUid }, page);
  return { data: items.map(presentUser), lastUid };
});
