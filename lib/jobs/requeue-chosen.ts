// Sends what a replay or a sync has chosen for a webhook.
import { isOpen } from '../model/delivery-state.ts';
import type { DeliveryDocument } from '../model/delivery.ts';
import type { EventDocument } from '../model/event.ts';
import type { ReplayJob, SyncJob } from '../model/job.ts';
import { partitionId, type PartitionKey } from '../model/partition.ts';
import type { WebhookDocument } from '../model/webhook.ts';
import { type Store } from '../mongo/connect.ts';
import { findSettled, issueNumbers, scheduleSignal } from '../order/partitions.ts';
import { discardCountFor, type PageContext, type PageStamp, requeueDeliveries } from './jobs.ts';

/** An event to send, with its delivery to the webhook, or null if there is none yet. */
interface EventToRequeue {
  event: Pick<
    EventDocument,
    '_id' | 'appUid' | 'event' | 'entity' | 'resourceUid' | 'externalTenantId' | 'order'
  >;
  delivery: Pick<DeliveryDocument, 'state' | 'partition' | 'jobUid'> | null;
}

interface Requeue {
  job: ReplayJob | SyncJob;
  webhook: Pick<WebhookDocument, '_id' | 'ordering' | 'discardCount'>;
  chosen: readonly EventToRequeue[];
}

/** Requeues the events in the transaction of the page. Returns the partitions to signal after it. */
export async function requeueChosen(
  store: Store,
  requeue: Requeue,
  context: PageContext,
): Promise<PartitionKey[]> {
  const { job, webhook, chosen } = requeue;
  if (webhook.ordering === 'resource') return sendInOrder(store, requeue, context);
  const { page, now, session } = context;
  const ofWebhook = { webhookUid: webhook._id, discardCount: discardCountFor(job, webhook) };
  const stamp = { jobUid: job._id, jobPage: page, ...originOf(job) };
  const requeued = chosen.map(({ event, delivery }) => {
    return { event, ...ofWebhook, partition: delivery?.partition ?? null };
  });
  await requeueDeliveries(store, requeued, { stamp, now, session });
  return [];
}

function originOf({
  _id,
  kind,
  createdAt,
}: Requeue['job']): Pick<PageStamp, 'requeuedAs' | 'requeuedAt' | 'requeuedBy'> {
  return { requeuedAs: kind, requeuedAt: createdAt, requeuedBy: _id };
}

// Issues new numbers at the end of the partitions, unless an event's own number is still to come.
async function sendInOrder(
  store: Store,
  { job, webhook, chosen }: Requeue,
  { now, session }: PageContext,
): Promise<PartitionKey[]> {
  const webhookUid = webhook._id;
  const discardCount = discardCountFor(job, webhook);
  const inPartitions = chosen.map(({ event, delivery }) => {
    const { appUid, entity, resourceUid } = event;
    return { event, delivery, partition: { appUid, webhookUid, entity, resourceUid } };
  });
  const partitions = inPartitions.map(({ partition }) => partition);
  const settled = await findSettled(store, partitions, session);
  const behind = inPartitions.filter(({ event, delivery, partition }) => {
    const n = event.order.find((each) => each.webhookUid === webhookUid)?.n ?? 0;
    const isAhead = n > (settled.get(partitionId(partition)) ?? 0);
    // The process that recorded its end is about to settle its number.
    const hasEnded = delivery !== null && !isOpen(delivery.state);
    return !isAhead || hasEnded || (delivery?.jobUid ?? null) !== null;
  });
  const numbers = await issueNumbers(
    store,
    behind.map((each) => each.partition),
    session,
  );
  await scheduleSignal(store, partitions.map(partitionId), { now, session });
  for (const [index, { event }] of behind.entries()) {
    const isOther = { $ne: ['$$this.webhookUid', webhookUid] };
    const others = { $filter: { input: '$order', cond: isOther } };
    const order = { $concatArrays: [others, [{ webhookUid, n: numbers[index] ?? 0 }]] };
    await store.events.updateOne({ _id: event._id }, [{ $set: { order } }], { session });
  }
  const stamp = { jobUid: null, jobPage: null, ...originOf(job) };
  const requeued = inPartitions.map(({ event, partition }) => {
    return { event, webhookUid, discardCount, partition: partitionId(partition) };
  });
  await requeueDeliveries(store, requeued, { stamp, now, session });
  return [...new Map(partitions.map((each) => [partitionId(each), each])).values()];
}
