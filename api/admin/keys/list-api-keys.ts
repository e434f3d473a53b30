import { keyIdCharacters } from '../../../lib/access/api-key.ts';
import { readPage } from '../../../lib/mongo/paging.ts';
import { readPrefixPage } from '../../../lib/mongo/prefix-page.ts';
import { listHandler } from '../../http/list-handler.ts';
import { explained, textUpTo } from '../../http/query-values.ts';
import { apiKeySchema, presentApiKey } from './present-api-key.ts';
import { operation, type Operation, pageOf } from '../../http/operation.ts';

const keyFilters = {
  keyIdPrefix: explained(
    textUpTo(keyIdCharacters),
    'The beginning of the `keyId`, without `ahk_`. Its case counts.',
  ),
};

const facts: Operation = {
  id: 'listApiKeys',
  summary: 'List API keys',
  description: 'The list is ordered from newest to oldest, or with `keyIdPrefix` by `keyId`.',
  answers: { 200: pageOf(apiKeySchema) },
};

export const listApiKeys = operation(
  facts,
  listHandler(keyFilters, async ({ appUid, page, filters }, { store, clock }) => {
    const { keyIdPrefix: prefix } = filters;
    const { items, lastUid } =
      prefix === null
        ? await readPage(store.apiKeys, { appUid }, page)
        : await readPrefixPage(
            store.apiKeys,
            { appUid, field: 'keyId', prefix, hint: 'appKeyId' },
            page,
          );
    const now = clock.now();
    return { data: items.map((key) => presentApiKey(key, now)), lastUid };
  }),
);
