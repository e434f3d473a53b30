import type { Filter } from 'mongodb';
import { cancelDeliveries } from '../../deliveries/cancel-deliveries.ts';
import { jobLimits } from '../../limits.ts';
import { openStates } from '../../model/delivery-state.ts';
import type { DeliveryDocument } from '../../model/delivery.ts';
import type { ReleaseJob } from '../../model/job.ts';
import type { Store } from '../../mongo/connect.ts';
import { removePartitions } from '../../order/remove-partitions.ts';
import { type PageContext, signalLater, type TakenPage } from '../page.ts';
import { type TakenDelivery, takenFields } from '../taken-by-job.ts';

// Small enough that a page takes well under a second and blocks nothing else.
const cancelledPerPageMax = 1_000;
// An attempt that read the webhook before the resume may still record `held`, until its activity times out after 30 s.
// So an empty page ends the release only after the last of these checks.
const checkAgainAfterMs = [1_000, 5_000, 35_000];

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

/** Cancels the next open deliveries of the webhook: all, or the discarded ones. Returns null if there are none. */
export async function cancelNext(
  store: Store,
  { appUid, webhookUid }: ReleaseJob,
  { now, session, discarded }: PageContext & { discarded?: Filter<DeliveryDocument> },
): Promise<TakenPage | null> {
  const filter = { appUid, webhookUid, state: { $in: [...openStates] }, ...discarded };
  // Without the hint, MongoDB may choose an index with every delivery of the webhook.
  const options = { projection: takenFields, session, hint: 'webhookState' };
  const found = await store.deliveries
    .find<TakenDelivery & Pick<DeliveryDocument, '_id'>>(filter, options)
    .limit(cancelledPerPageMax)
    .toArray();
  if (found.length === 0) return null;
  const open = { ...filter, _id: { $in: found.map(({ _id }) => _id) } };
  const reason = discarded === undefined ? 'webhook_deleted' : 'discarded';
  const count = await cancelDeliveries(store, open, { reason, now, session });
  const ids = found.flatMap(({ partition }) => partition ?? []);
  const partitions = await signalLater(store, ids, { now, session });
  return { isEnd: false, partitions, takenByJob: found, cancelled: { count, reason } };
}

/** Returns the page of a job that has nothing to do now. */
export function nextCheck({ createdAt }: ReleaseJob, now: Date): TakenPage {
  const ageMs = now.getTime() - createdAt.getTime();
  const nextMs = checkAgainAfterMs.find((ms) => ms > ageMs);
  const waitMs = Math.max(jobLimits.pageEveryMs, (nextMs ?? 0) - ageMs);
  return { isEnd: nextMs === undefined, waitMs };
}
