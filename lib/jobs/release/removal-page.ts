import type { ReleaseJob } from '../../model/job.ts';
import type { Store } from '../../mongo/connect.ts';
import { removePartitions } from '../../order/partitions.ts';
import type { PageContext, TakenPage } from '../page.ts';
import { cancelNext, nextCheck } from './cancel-next.ts';

/** Takes a page after the deletion of the webhook: cancels its open deliveries, then deletes its partitions. */
export async function takeRemovalPage(
  store: Store,
  job: ReleaseJob,
  context: PageContext,
): Promise<TakenPage> {
  const cancelled = await cancelNext(store, job, context);
  if (cancelled !== null) return cancelled;
  // An attempt that read the webhook before its deletion may still record an open delivery.
  const check = nextCheck(job, context.now);
  const isEnd = check.isEnd && (await removePartitions(store, job.webhookUid, context.session));
  return { ...check, isEnd };
}
