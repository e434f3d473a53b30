// GET …/syncs/{syncUid}: the progress of a sync.
import { countOutcomes } from '../../lib/history/job-outcomes.ts';
import type { SyncJob } from '../../lib/model/job.ts';
import { AppError } from '../../lib/platform/errors.ts';
import type { ApiContext } from '../context.ts';
import { operation, type Operation } from '../http/operation.ts';
import type { ApiRequest, Handler } from '../route.ts';
import { presentSync, syncDetailSchema } from './present-sync.ts';

const facts: Operation = {
  id: 'getSync',
  summary: 'Get a sync and its progress',
  answers: { 200: { description: 'The sync', schema: syncDetailSchema } },
};

export const getSync: Handler = operation(facts, async (request, context) => {
  const sync = await findSync(request, context);
  const outcomes = await countOutcomes(context.store, sync._id);
  return { status: 200, body: { ...presentSync(sync), outcomes } };
});

/** Reads the sync in the path. Throws `not_found`. */
export async function findSync(
  { appUid, params }: Pick<ApiRequest, 'appUid' | 'params'>,
  { store }: ApiContext,
): Promise<SyncJob> {
  const sync = await store.jobs.findOne({ _id: params['syncUid'] ?? '', appUid });
  if (sync?.kind !== 'sync') throw new AppError('not_found', 'there is no such sync');
  return sync;
}
