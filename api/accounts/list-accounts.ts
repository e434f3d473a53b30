// GET …/accounts: the accounts of the application, newest first.
import { readPage } from '../../lib/mongo/paging.ts';
import { listHandler } from '../http/list-handler.ts';
import { presentAccount } from './account.ts';

export const listAccounts = listHandler({}, async ({ appUid, page }, { store }) => {
  const { items, lastUid } = await readPage(store.accounts, { appUid }, page);
  return { data: items.map(presentAccount), lastUid };
});
