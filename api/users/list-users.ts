// GET …/sdkusers: the application's users, newest first, or the one with an external id.
import { limits } from '../../lib/config.ts';
import { readPage } from '../../lib/store/paging.ts';
import { listHandler } from '../http/list-handler.ts';
import { textUpTo } from '../http/query-values.ts';
import { presentUser } from './user.ts';

/** Gives a page of users; deleted ones are not among them. */
export const listUsers = listHandler(
  { externalId: textUpTo(limits.externalIdCharactersMax) },
  async ({ appUid, page, filters: { externalId } }, { store }) => {
    const filter = { appUid, deletedAt: null, ...(externalId === null ? {} : { externalId }) };
    const { items, lastUid } = await readPage(store.users, filter, page);
    return { data: items.map(presentUser), lastUid };
  },
);
