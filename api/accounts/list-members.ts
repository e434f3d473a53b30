// GET …/accounts/{accountUid}/members: the users in an account, newest first.
import { readPage } from '../../lib/store/paging.ts';
import { cursorAfter, readPageQuery } from '../http/page-query.ts';
import type { Handler } from '../http/router.ts';
import { presentUser } from '../users/user.ts';
import { noSuchAccount } from './account.ts';

/** Gives a page of users. Throws `not_found`. */
export const listMembers: Handler = async ({ appUid, params, query }, context) => {
  const { accounts, users } = context.store;
  const accountUid = params['accountUid'] ?? '';
  const request = readPageQuery(query);
  if ((await accounts.findOne({ _id: accountUid, appUid })) === null) throw noSuchAccount();
  const page = await readPage(users, { appUid, accountUids: accountUid }, request);
  const data = page.items.map(presentUser);
  return { status: 200, body: { data, nextCursor: cursorAfter(page.lastUid) } };
};
