import type { ClientSession, Filter } from 'mongodb';
import { jobLimits } from '../limits.ts';
import { idAt } from '../platform/ids.ts';
import { type CancelReason, openStates } from '../model/delivery-state.ts';
import type { DeliveryDocument } from '../model/delivery.ts';
import type { ReleaseJob } from '../model/job.ts';
import type { WebhookDocument } from '../model/webhook.ts';
import { keyOfPartition, type PartitionKey } from '../model/partition.ts';
import { type Store } from '../mongo/connect.ts';
import { within } from '../mongo/transaction.ts';
import { cancelDeliveries } from '../deliveries/deliveries.ts';
import { type TakenDelivery, takenFields } from './taken-by-job.ts';
import { findPassed, removePartitions, scheduleSignal } from '../order/partitions.ts';
import type { PageContext, TakenPage } from './jobs.ts';
import type { DeliveryPorts } from '../deliveries/ports.ts';

const { pageEveryMs, releasedPerSecondDefault } = jobLimits;
// Small enough that a page takes well under a second and blocks nothing else.
const cancelledPerPageMax = 1_000;
// An attempt that read the webhook before the resume may still record `held`, until its activity times out after 30 s.
// So an empty page ends the release only after the last of these checks.
const checkAgainAfterMs = [1_000, 5_000, 35_000];

// Without the hint, MongoDB may choose an index with every delivery of the webhook.
const hint = 'webhookState';
// By this time, each delivery that was open at the resume is recorded, or will be dropped at its attempt. A later
// release does not look for them: its pages would repeatedly read deliveries that were requeued since the discard.
const recordedMsMax = 60_000;

type Held = Pick<DeliveryDocument, '_id' | 'eventId' | 'partition'>;

// Cancels discarded deliveries first, then sends the held ones, oldest events first.
export async function takeReleasePage(
  { store }: Pick<DeliveryPorts, 'store'>,
  job: ReleaseJob,
  context: PageContext,
): Promise<TakenPage> {
  const { _id: jobUid, appUid, webhookUid, cursor, createdAt } = job;
  const { now, session } = context;
  const webhook = await store.webhooks.findOne({ _id: webhookUid, appUid }, { session });
  const nothing = { cursor, count: 0, partitions: [] };
  const dropped = webhook === null ? {} : droppedBy(webhook, createdAt);
  if (dropped !== null) {
    const filter = { appUid, webhookUid, state: { $in: [...openStates] }, ...dropped };
    const cancelReason = webhook === null ? 'webhook_deleted' : 'discarded';
    const cancelled = await cancelPage(store, { filter, cancelReason }, context);
    if (cancelled !== null) return { ...nothing, isEnd: false, ...cancelled };
  }
  // An attempt that read the webhook before its deletion may still record an open delivery.
  if (webhook === null) {
    const check = nextCheck(job, now);
    const isEnd = check.isEnd && (await removePartitions(store, webhookUid, session));
    return { ...nothing, ...check, isEnd };
  }
  if (!webhook.active || webhook.releaseUid !== jobUid) return { ...nothing, isEnd: true };
  const held = await findHeld(store, { appUid, webhookUid }, session);
  if (held.length === 0) return { ...nothing, ...nextCheck(job, now) };
  const partitions = await release(store, job, { held, context });
  return { cursor, count: held.length, isEnd: false, partitions };
}

/** Returns the next page of a release: the held deliveries of the oldest events. */
export function findHeld(
  store: Store,
  { appUid, webhookUid }: Pick<ReleaseJob, 'appUid' | 'webhookUid'>,
  session?: ClientSession,
): Promise<Held[]> {
  const options = { projection: { eventId: 1, partition: 1 }, hint: 'notDelivered' };
  return store.deliveries
    .find<Held>({ appUid, webhookUid, state: 'held' }, { ...options, ...within(session) })
    .sort({ eventId: 1 })
    .limit(releasedPerSecondDefault)
    .toArray();
}

// Same rule as in `decide`.
function droppedBy(
  { discardCount, discardBefore }: WebhookDocument,
  releasedAt: Date,
): Filter<DeliveryDocument> | null {
  if (discardCount === 0 || discardBefore === null) return null;
  const recordedBefore = new Date(discardBefore.getTime() + recordedMsMax);
  if (releasedAt > recordedBefore) return null;
  const uncounted = { discardCount: { $exists: false } };
  return {
    _id: { $lt: idAt('evt', recordedBefore) },
    $or: [
      { discardCount: { $lt: discardCount } },
      { ...uncounted, requeuedAt: null, eventId: { $lt: idAt('evt', discardBefore) } },
      { ...uncounted, requeuedAt: { $lt: discardBefore } },
    ],
  };
}

async function cancelPage(
  store: Store,
  { filter, cancelReason }: { filter: Filter<DeliveryDocument>; cancelReason: CancelReason },
  context: PageContext,
): Promise<Pick<TakenPage, 'partitions' | 'takenByJob' | 'cancelled'> | null> {
  const { now, session } = context;
  const found = await store.deliveries
    .find<TakenDelivery & Pick<DeliveryDocument, '_id'>>(filter, {
      projection: takenFields,
      session,
      hint,
    })
    .limit(cancelledPerPageMax)
    .toArray();
  if (found.length === 0) return null;
  const open = { ...filter, _id: { $in: found.map(({ _id }) => _id) } };
  const count = await cancelDeliveries(store, open, { reason: cancelReason, now, session });
  const partitions = await toSignal(store, found, context);
  return { partitions, takenByJob: found, cancelled: { count, reason: cancelReason } };
}

// A delivery whose number is not settled goes to its partition, any other to this job.
async function release(
  store: Store,
  { _id: jobUid }: ReleaseJob,
  { held, context }: { held: readonly Held[]; context: PageContext },
): Promise<PartitionKey[]> {
  const { page, now, session } = context;
  const passed = new Set(await findPassed(store, held, session));
  const ordered = held.filter((each) => each.partition !== null && !passed.has(each._id));
  const others = held.filter((each) => !ordered.includes(each));
  const pending = {
    state: 'pending',
    nextAttemptAt: null,
    isRateLimited: false,
    updatedAt: now,
  } as const;
  for (const [deliveries, owner] of [
    [ordered, { jobUid: null, jobPage: null }],
    [others, { jobUid, jobPage: page }],
  ] as const) {
    if (deliveries.length === 0) continue;
    const _id = { $in: deliveries.map((each) => each._id) };
    await store.deliveries.updateMany(
      { _id, state: 'held' },
      { $set: { ...pending, ...owner } },
      { session },
    );
  }
  return toSignal(store, ordered, context);
}

// The relay signals the partitions if this process fails to.
async function toSignal(
  store: Store,
  deliveries: readonly Pick<DeliveryDocument, 'partition'>[],
  { now, session }: PageContext,
): Promise<PartitionKey[]> {
  const ids = new Set(deliveries.flatMap(({ partition }) => partition ?? []));
  await scheduleSignal(store, [...ids], { now, session });
  const found = await store.partitions.find({ _id: { $in: [...ids] } }, { session }).toArray();
  return found.map(keyOfPartition);
}

function nextCheck({ createdAt }: ReleaseJob, now: Date): Pick<TakenPage, 'isEnd' | 'waitMs'> {
  const ageMs = now.getTime() - createdAt.getTime();
  const nextMs = checkAgainAfterMs.find((ms) => ms > ageMs);
  return { isEnd: nextMs === undefined, waitMs: Math.max(pageEveryMs, (nextMs ?? 0) - ageMs) };
}
