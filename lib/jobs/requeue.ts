// Sends again what a resend, replay or sync has chosen.
import { isOpen } from '../model/delivery-state.ts';
import { type DeliveryDocument, pairOf } from '../model/delivery.ts';
import { discardCountOf } from '../model/discards.ts';
import type { EventDocument } from '../model/event.ts';
import type { ReplayJob, ResendJob, SyncJob } from '../model/job.ts';
import { partitionId, type PartitionKey } from '../model/partition.ts';
import type { WebhookDocument } from '../model/webhook.ts';
import type { Store } from '../mongo/connect.ts';
import { issueNumbers, scheduleSignal } from '../order/partitions.ts';
import { findSettled } from '../order/settled.ts';
import { timeOfId } from '../platform/ids.ts';
import type { PageContext } from './page.ts';

interface DeliveryToRequeue {
  event: Pick<EventDocument, '_id' | 'appUid' | 'event' | 'externalTenantId'>;
  webhookUid: string;
  partition: string | null;
}

interface Requeue extends Omit<PageContext, 'page'> {
  job: Pick<ResendJob | ReplayJob | SyncJob, '_id' | 'kind' | 'createdAt' | 'seenDiscards'>;
  /** The page of the job that becomes their owner; null if their partitions send them. */
  jobPage: number | null;
}

/** Gives deliveries a new owner or partition, to be sent again. Inserts a document where there is none yet. */
export async function requeueDeliveries(
  store: Store,
  deliveries: readonly DeliveryToRequeue[],
  { job, jobPage, now, session }: Requeue,
): Promise<void> {
  if (deliveries.length === 0) return;
  const { _id: jobUid, kind, createdAt, seenDiscards } = job;
  const ids = deliveries.map(({ event, webhookUid }) => pairOf({ eventId: event._id, webhookUid }));
  await store.deliveries.bulkWrite(
    deliveries.map(({ event, webhookUid, partition }, index) => ({
      updateOne: {
        filter: { _id: ids[index] ?? '', appUid: event.appUid },
        update: {
          $setOnInsert: {
            eventId: event._id,
            webhookUid,
            event: event.event,
            externalTenantId: event.externalTenantId,
            attemptCount: 0,
            attempts: [],
            createdAt: timeOfId(event._id),
          },
          // The count at the request, so that a discard that commits just before the page also drops what it takes.
          $set: { partition, discardCount: discardCountOf(seenDiscards, webhookUid) ?? 0 },
        },
        upsert: true,
      },
    })),
    { session, ordered: false },
  );
  await store.deliveries.updateMany(
    { _id: { $in: ids } },
    [
      {
        $set: {
          jobUid: jobPage === null ? null : jobUid,
          jobPage,
          requeuedAs: kind,
          requeuedAt: createdAt,
          requeuedBy: jobUid,
          state: 'pending',
          cancelReason: null,
          statusClass: null,
          errorClass: null,
          nextAttemptAt: null,
          isRateLimited: false,
          scheduleFrom: '$attemptCount',
          updatedAt: now,
        },
      },
    ],
    { session },
  );
}

/** An event to send, with its delivery to the webhook, or null if there is none yet. */
interface EventToRequeue {
  event: Pick<
    EventDocument,
    '_id' | 'appUid' | 'event' | 'entity' | 'resourceUid' | 'externalTenantId' | 'order'
  >;
  delivery: Pick<DeliveryDocument, 'state' | 'partition' | 'jobUid'> | null;
}

interface ChosenForWebhook {
  job: ReplayJob | SyncJob;
  webhook: Pick<WebhookDocument, '_id' | 'ordering'>;
  chosen: readonly EventToRequeue[];
}

/** Requeues the events in the transaction of the page. Returns the partitions to signal after it. */
export async function requeueChosen(
  store: Store,
  { job, webhook, chosen }: ChosenForWebhook,
  context: PageContext,
): Promise<PartitionKey[]> {
  const webhookUid = webhook._id;
  const isOrdered = webhook.ordering === 'resource';
  const partitions = isOrdered ? await putInOrder(store, { webhookUid, chosen }, context) : [];
  const requeued = chosen.map(({ event, delivery }, index) => {
    const partition = partitions[index];
    const id = partition === undefined ? (delivery?.partition ?? null) : partitionId(partition);
    return { event, webhookUid, partition: id };
  });
  const jobPage = isOrdered ? null : context.page;
  await requeueDeliveries(store, requeued, { ...context, job, jobPage });
  return [...new Map(partitions.map((each) => [partitionId(each), each])).values()];
}

// Issues new numbers at the end of the partitions, unless an event's own number is still to come. Returns the partition
// of each event.
async function putInOrder(
  store: Store,
  { webhookUid, chosen }: Pick<ChosenForWebhook, 'chosen'> & { webhookUid: string },
  { now, session }: PageContext,
): Promise<PartitionKey[]> {
  const placed = chosen.map(({ event, delivery }) => {
    const { appUid, entity, resourceUid } = event;
    return { event, delivery, partition: { appUid, webhookUid, entity, resourceUid } };
  });
  const partitions = placed.map(({ partition }) => partition);
  const settled = await findSettled(store, partitions, session);
  const behind = placed.filter(({ event, delivery, partition }) => {
    const n = event.order.find((each) => each.webhookUid === webhookUid)?.n ?? 0;
    const isAhead = n > (settled.get(partitionId(partition)) ?? 0);
    // The process that recorded its end is about to settle its number.
    const hasEnded = delivery !== null && !isOpen(delivery.state);
    return !isAhead || hasEnded || (delivery?.jobUid ?? null) !== null;
  });
  const toNumber = behind.map(({ partition }) => partition);
  const numbers = await issueNumbers(store, toNumber, session);
  await scheduleSignal(store, partitions.map(partitionId), { now, session });
  for (const [index, { event }] of behind.entries()) {
    const isOther = { $ne: ['$$this.webhookUid', webhookUid] };
    const others = { $filter: { input: '$order', cond: isOther } };
    const order = { $concatArrays: [others, [{ webhookUid, n: numbers[index] ?? 0 }]] };
    await store.events.updateOne({ _id: event._id }, [{ $set: { order } }], { session });
  }
  return partitions;
}
