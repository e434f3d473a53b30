// GET …/accounts: the application's accounts, newest first.
import { readPage } from '../../lib/store/paging.ts';
import { cursorAfter, readPageQuery } from '../http/page-query.ts';
import type { Handler } from '../http/router.ts';
import { presentAccount } from './account.ts';

export const listAccounts: Handler = async ({ appUid, query }, context) => {
  const page = await readPage(context.store.accounts, { appUid }, readPageQuery(query));
  const data = page.items.map(presentAccount);
  return { status: 200, body: { data, nextCursor: cursorAfter(page.lastUid) } };
};
