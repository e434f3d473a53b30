// GET …/sdkusers: the application's users, newest first, or the one with an external id.
import { limits } from '../../lib/config.ts';
import { readPage } from '../../lib/store/paging.ts';
import { cursorAfter, readPageQuery } from '../http/page-query.ts';
import { readText } from '../http/query-values.ts';
import type { Handler } from '../http/router.ts';
import { presentUser } from './user.ts';

/** Gives a page of users; deleted ones are not among them. Throws `invalid_request`, `invalid_cursor`. */
export const listUsers: Handler = async ({ appUid, query }, context) => {
  const externalId = readText(query, 'externalId', limits.externalIdCharactersMax);
  const filter = { appUid, deletedAt: null, ...(externalId === null ? {} : { externalId }) };
  const page = await readPage(context.store.users, filter, readPageQuery(query));
  const data = page.items.map(presentUser);
  return { status: 200, body: { data, nextCursor: cursorAfter(page.lastUid) } };
};
