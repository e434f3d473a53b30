// GET …/sdkusers: the application's users, newest first.
import { readPage } from '../../lib/store/paging.ts';
import { cursorAfter, readPageQuery } from '../http/page-query.ts';
import type { Handler } from '../http/router.ts';
import { presentUser } from './user.ts';

/** Gives a page of users; deleted ones are not among them. */
export const listUsers: Handler = async ({ appUid, query }, context) => {
  const filter = { appUid, deletedAt: null };
  const page = await readPage(context.store.users, filter, readPageQuery(query));
  const data = page.items.map(presentUser);
  return { status: 200, body: { data, nextCursor: cursorAfter(page.lastUid) } };
};
