import type { ErasureJob } from '../../lib/model/job.ts';
import { readPage } from '../../lib/mongo/paging.ts';
import { listHandler } from '../http/list-handler.ts';
import { operation, type Operation, pageOf } from '../http/operation.ts';
import { erasureSchema, presentErasure } from './present-erasure.ts';

const facts: Operation = {
  id: 'listErasures',
  summary: 'List erasures',
  description: 'The list is ordered from newest to oldest.',
  answers: { 200: pageOf(erasureSchema) },
};

export const listErasures = operation(
  facts,
  listHandler({}, async ({ appUid, page }, { store }) => {
    const wanted = { appUid, kind: 'erasure' } as const;
    const { items, lastUid } = await readPage(store.jobs, wanted, { ...page, hint: 'app' });
    return { data: items.map((item) => presentErasure(item as ErasureJob)), lastUid };
  }),
);
