// GET /admin/api/apps/{appUid}/keys: the API keys of an application, revoked and expired ones too.
import { readPage } from '../../../lib/mongo/paging.ts';
import { listHandler } from '../../http/list-handler.ts';
import { presentApiKey } from './present-api-key.ts';

export const listApiKeys = listHandler({}, async ({ appUid, page }, { store, clock }) => {
  const { items, lastUid } = await readPage(store.apiKeys, { appUid }, page);
  const now = clock.now();
  return { data: items.map((key) => presentApiKey(key, now)), lastUid };
});
