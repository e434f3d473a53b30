// The documents of partitions, and the numbers issued in them (ADR 16).
import type { ClientSession } from 'mongodb';
import {
  overdueAfter,
  type PartitionDocument,
  partitionId,
  type PartitionKey,
  type PartitionNumber,
  soonAfter,
} from '../model/partition.ts';
import { type Store } from '../mongo/connect.ts';
import { countInTransaction } from '../mongo/sequences.ts';
import { findOrProveAbsent, within } from '../mongo/transaction.ts';

/** Creates the documents of partitions whose first number was issued, in the same transaction. */
export async function openPartitions(
  store: Store,
  numbered: readonly PartitionNumber[],
  session: ClientSession,
): Promise<void> {
  const first = numbered.filter(({ n }) => n === 1);
  if (first.length === 0) return;
  await store.partitions.bulkWrite(
    first.map(({ partition }) => ({
      updateOne: {
        filter: { _id: partitionId(partition) },
        update: {
          $setOnInsert: { ...partition, settled: 0, lease: null, signalAt: null },
        },
        upsert: true,
      },
    })),
    { session, ordered: false },
  );
}

/** Issues the next number of each partition, in the transaction that requeues the events and schedules the signals. */
export async function issueNumbers(
  store: Store,
  partitions: readonly PartitionKey[],
  session: ClientSession,
): Promise<number[]> {
  if (partitions.length === 0) return [];
  const ids = partitions.map(partitionId);
  const numbers = await countInTransaction(store, ids, session);
  const numbered = partitions.map((partition, index) => ({ partition, n: numbers[index] ?? 0 }));
  await openPartitions(store, numbered, session);
  return numbers;
}

export async function lastIssued(store: Store, partition: PartitionKey): Promise<number> {
  // A local read on the primary: a majority read may miss a commit acknowledged just before.
  const readConcern = { level: 'local' } as const;
  const issued = await store.sequences.findOne({ _id: partitionId(partition) }, { readConcern });
  return issued?.last ?? 0;
}

/** Reads whether a number is settled, or its partition is gone, and whether the partition is parked. */
export async function readProgress(
  store: Store,
  { partition, n }: PartitionNumber,
): Promise<{ isSettled: boolean; isParked: boolean }> {
  const found = await find(store, partition);
  return {
    isSettled: found === null || found.settled >= n,
    isParked: found?.retry?.isParked === true,
  };
}

export async function isGone(store: Store, partition: PartitionKey): Promise<boolean> {
  return (await find(store, partition)) === null;
}

async function find(store: Store, partition: PartitionKey): Promise<PartitionDocument | null> {
  const _id = partitionId(partition);
  return findOrProveAbsent(store, (session) => store.partitions.findOne({ _id }, within(session)));
}

export async function findNumbered(
  store: Store,
  { appUid, webhookUid, entity, resourceUid }: PartitionKey,
  { from, countMax, session }: { from: number; countMax: number; session?: ClientSession },
): Promise<{ eventId: string; n: number }[]> {
  const place = { webhookUid, n: { $gte: from, $lt: from + countMax } };
  const found = await store.events
    .find(
      // MongoDB uses the partial index only with the last, redundant condition.
      { appUid, entity, resourceUid, order: { $elemMatch: place }, 'order.n': { $gt: 0 } },
      { projection: { order: { $elemMatch: { webhookUid } } }, ...within(session) },
    )
    .toArray();
  return found
    .map(({ _id, order }) => ({
      eventId: _id,
      n: order.find((each) => each.webhookUid === webhookUid)?.n ?? 0,
    }))
    .toSorted((a, b) => a.n - b.n);
}

/** Makes the relay signal partitions soon if nobody wakes them before, in the transaction of the change. */
export async function scheduleSignal(
  store: Store,
  partitionIds: readonly string[],
  { now, session }: { now: Date; session?: ClientSession },
): Promise<void> {
  if (partitionIds.length === 0) return;
  const signalAt = soonAfter(now);
  await store.partitions.updateMany(
    { _id: { $in: [...partitionIds] }, $or: [{ signalAt: null }, { signalAt: { $gt: signalAt } }] },
    { $set: { signalAt } },
    within(session),
  );
}

/** Returns partitions that should have moved by now, and makes them overdue again a minute later. */
export async function takeOverdue(
  store: Store,
  now: Date,
  countMax: number,
): Promise<PartitionDocument[]> {
  const overdue = await store.partitions
    // MongoDB uses the partial index only with the redundant `$type`.
    .find({ signalAt: { $lt: now, $type: 'date' } })
    .sort({ signalAt: 1 })
    .limit(countMax)
    .toArray();
  if (overdue.length === 0) return [];
  const ids = overdue.map(({ _id }) => _id);
  await store.partitions.updateMany(
    { _id: { $in: ids }, signalAt: { $lt: now } },
    { $set: { signalAt: overdueAfter(now) } },
  );
  return overdue;
}
