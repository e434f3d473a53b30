import { readPage } from '../../lib/mongo/paging.ts';
import { listHandler } from '../http/list-handler.ts';
import { accountSchema, presentAccount } from './account.ts';
import { operation, type Operation, pageOf } from '../http/operation.ts';

const facts: Operation = {
  id: 'listAccounts',
  summary: 'List accounts',
  description: 'The list is ordered from newest to oldest.',
  answers: { 200: pageOf(accountSchema) },
};

export const listAccounts = operation(
  facts,
  listHandler({}, async ({ appUid, page }, { store }) => {
    const { items, lastUid } = await readPage(store.accounts, { appUid }, page);
    return { data: items.map(presentAccount), lastUid };
  }),
);
