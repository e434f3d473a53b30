import { limits } from '../../lib/limits.ts';
import { readPage } from '../../lib/mongo/paging.ts';
import { nameCollation, readPrefixPage } from '../../lib/mongo/prefix-page.ts';
import { listHandler } from '../http/list-handler.ts';
import { explained, textUpTo } from '../http/query-values.ts';
import { accountSchema, presentAccount } from './account.ts';
import { operation, type Operation, pageOf } from '../http/operation.ts';

const accountFilters = {
  namePrefix: explained(
    textUpTo(limits.nameCharactersMax),
    'The beginning of the name, in any case and with or without accents.',
  ),
};

const facts: Operation = {
  id: 'listAccounts',
  summary: 'List accounts',
  description: 'The list is ordered from newest to oldest, or with `namePrefix` by name.',
  answers: { 200: pageOf(accountSchema) },
};

export const listAccounts = operation(
  facts,
  listHandler(accountFilters, async ({ appUid, page, filters }, { store }) => {
    const { namePrefix: prefix } = filters;
    const search = { appUid, field: 'name', hint: 'name', collation: nameCollation };
    const { items, lastUid } =
      prefix === null
        ? await readPage(store.accounts, { appUid }, { ...page, hint: 'app' })
        : await readPrefixPage(store.accounts, { ...search, prefix }, page);
    return { data: items.map(presentAccount), lastUid };
  }),
);
