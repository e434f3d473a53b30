import { readPage } from '../../../lib/mongo/paging.ts';
import { listHandler } from '../../http/list-handler.ts';
import { apiKeySchema, presentApiKey } from './present-api-key.ts';
import { operation, type Operation, pageOf } from '../../http/operation.ts';

const facts: Operation = {
  id: 'listApiKeys',
  summary: 'List API keys',
  description: 'The list is ordered from newest to oldest.',
  answers: { 200: pageOf(apiKeySchema) },
};

export const listApiKeys = operation(
  facts,
  listHandler({}, async ({ appUid, page }, { store, clock }) => {
    const { items, lastUid } = await readPage(store.apiKeys, { appUid }, page);
    const now = clock.now();
    return { data: items.map((key) => presentApiKey(key, now)), lastUid };
  }),
);
