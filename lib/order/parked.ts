// While a receiver fails, few partitions of its webhook retry. The others are parked: no workflow waits for them, and the
// relay lets them retry again (ADR 48).
import { FairQueue, type Owner } from '../concurrency/fair-queue.ts';
import { SharedLimit } from '../concurrency/shared-limit.ts';
import { attemptLimits, dispatchLimits } from '../limits.ts';
import type { PartitionDocument, PartitionKey } from '../model/partition.ts';
import type { Store } from '../mongo/connect.ts';

const { retryingPartitionsMax, resumedPartitionsMax } = attemptLimits;
const { relayedPerSweepMax } = dispatchLimits;
// Of the applications in turn.
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
  if (parked.length === 0) return 0;
  const room = new SharedLimit(relayedPerSweepMax);
  for (const { webhookUid, isFailing } of await chooseWebhooks(store, parked)) {
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

async function chooseWebhooks(store: Store, webhookUids: string[]) {
  const isFailing = { $ne: ['$failingSince', null] };
  const waiting = new FairQueue<Owner & { isFailing: boolean }>();
  // In random order, so that each webhook of an application has its turn.
  const found = store.webhooks.aggregate<Owner & { isFailing: boolean }>([
    { $match: { _id: { $in: webhookUids } } },
    { $sample: { size: webhookUids.length } },
    { $project: { _id: 0, webhookUid: '$_id', appUid: 1, isFailing } },
  ]);
  for await (const webhook of found) waiting.add(webhook);
  const turns = Array.from({ length: webhooksPerSweepMax }, () => waiting.take(() => true));
  return turns.filter((turn) => turn !== undefined);
}
