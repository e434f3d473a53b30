// While a receiver fails, few partitions of its webhook retry. The others are parked: no workflow waits for them, and the
// relay lets them retry again (ADR 48).
import { SharedLimit } from '../concurrency/shared-limit.ts';
import { attemptLimits, dispatchLimits } from '../limits.ts';
import type { PartitionDocument, PartitionKey } from '../model/partition.ts';
import type { Store } from '../mongo/connect.ts';

const { retryingPartitionsMax, resumedPartitionsMax } = attemptLimits;
const { relayedPerSweepMax } = dispatchLimits;
// In random order, so that each webhook has its turn.
const webhooksPerSweepMax = 100;

/** Checks whether so many partitions of the webhook retry that another one is parked. */
export async function hasEnoughRetries(store: Store, partition: PartitionKey): Promise<boolean> {
  return (await countRetrying(store, partition.webhookUid)) >= retryingPartitionsMax;
}

/**
 * Lets parked partitions retry whose time has come, the longest due first: as many as others of their webhook have
 * ended, and many after a success at the webhook. Their workflows are to be signalled now. Returns their number.
 */
export async function resumeParked(store: Store, now: Date): Promise<number> {
  const parked = await store.partitions.distinct('webhookUid', { 'retry.isParked': true });
  const webhookUids = shuffled(parked).slice(0, webhooksPerSweepMax);
  if (webhookUids.length === 0) return 0;
  const failing = await store.webhooks
    .find({ _id: { $in: webhookUids }, failingSince: { $ne: null } }, { projection: { _id: 1 } })
    .map(({ _id }) => _id)
    .toArray();
  const room = new SharedLimit(relayedPerSweepMax);
  for (const webhookUid of webhookUids) {
    const isFailing = failing.includes(webhookUid);
    const count = isFailing
      ? retryingPartitionsMax - (await countRetrying(store, webhookUid))
      : resumedPartitionsMax;
    if (count > 0) await resume(store, { webhookUid, count }, { now, room });
  }
  return room.held;
}

async function countRetrying(store: Store, webhookUid: string): Promise<number> {
  const retrying = { 'retry.isParked': false, webhookUid };
  return store.partitions.countDocuments(retrying, { limit: retryingPartitionsMax });
}

async function resume(
  store: Store,
  { webhookUid, count }: { webhookUid: string; count: number },
  { now, room }: { now: Date; room: SharedLimit },
): Promise<void> {
  const due = await store.partitions
    .find({ 'retry.isParked': true, webhookUid, 'retry.dueAt': { $lte: now } })
    .project<Pick<PartitionDocument, '_id' | 'appUid'>>({ appUid: 1 })
    .sort({ 'retry.dueAt': 1 })
    .limit(count)
    .toArray();
  const taken: string[] = [];
  for (const { _id, appUid } of due) {
    if (!room.hasRoom(appUid)) break;
    room.take(appUid);
    taken.push(_id);
  }
  if (taken.length === 0) return;
  // Due for a signal in this sweep, and until there was one.
  await store.partitions.updateMany(
    { _id: { $in: taken }, 'retry.isParked': true },
    { $set: { 'retry.isParked': false, signalAt: new Date(now.getTime() - 1) } },
  );
}

function shuffled<Item>(items: readonly Item[]): Item[] {
  return items
    .map((item) => ({ item, rank: Math.random() }))
    .toSorted((a, b) => a.rank - b.rank)
    .map(({ item }) => item);
}
