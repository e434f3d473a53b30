// GET /admin/api/apps/{appUid}/keys: the API keys of an application, revoked and expired ones too.
import { readPage } from '../../../lib/store/paging.ts';
import { cursorAfter, readPageQuery } from '../../http/page-query.ts';
import type { AdminHandler } from '../../http/router.ts';
import { presentApiKey } from './present-api-key.ts';

/** Gives a page of keys, newest first. */
export const listApiKeys: AdminHandler = async ({ appUid, query }, { store, clock }) => {
  const page = await readPage(store.apiKeys, { appUid }, readPageQuery(query));
  const now = clock.now();
  const data = page.items.map((key) => presentApiKey(key, now));
  return { status: 200, body: { data, nextCursor: cursorAfter(page.lastUid) } };
};
