// GET …/syncs: the syncs of the application or of one webhook, newest first.
import { limits } from '../../lib/limits.ts';
import type { SyncJob } from '../../lib/model/job.ts';
import { readPage } from '../../lib/mongo/paging.ts';
import { listHandler } from '../http/list-handler.ts';
import { operation, type Operation, pageOf } from '../http/operation.ts';
import { textUpTo } from '../http/query-values.ts';
import { presentSync, syncSchema } from './present-sync.ts';

const facts: Operation = {
  id: 'listSyncs',
  summary: 'List syncs',
  description: 'The list is ordered from newest to oldest.',
  answers: { 200: pageOf(syncSchema) },
};

const syncFilters = { webhookUid: textUpTo(limits.filterCharactersMax) };

export const listSyncs = operation(
  facts,
  listHandler(syncFilters, async ({ appUid, filters: { webhookUid }, page }, { store }) => {
    const ofWebhook = webhookUid === null ? {} : { webhookUid };
    const wanted = { appUid, kind: 'sync', ...ofWebhook } as const;
    const hint = webhookUid === null ? 'app' : 'webhook';
    const { items, lastUid } = await readPage(store.jobs, wanted, { ...page, hint });
    return { data: items.map((item) => presentSync(item as SyncJob)), lastUid };
  }),
);
