// Claims, settles and returns the turns of partitions (ADR 16).
import type { Document } from 'mongodb';
import { attemptLimits } from '../limits.ts';
import { type PartitionDocument, partitionId, type Turn } from '../model/partition.ts';
import type { Store } from '../mongo/connect.ts';
import { overdueAfter, soonAfter } from './partitions.ts';

const leaseMs = attemptLimits.partitionLeaseMs;

/** `by` may claim again. */
export interface Claim {
  turn: Turn;
  by: string;
  now: Date;
}

/**
 * Claims turns: false unless the numbers before are settled and no other lease runs. Who does not get it has asked for
 * it, in the same update, so that whoever settles the number before signals the partition.
 */
export async function claimTurns(store: Store, claims: readonly Claim[]): Promise<boolean[]> {
  const partitions = await changeTurns(store, claims, ({ turn: { n }, by, now }) => {
    const isFree = [
      { $eq: ['$lease', null] },
      { $eq: ['$lease.by', by] },
      { $lt: ['$lease.until', now] },
    ];
    const isTurn = { $and: [isNext(n), { $or: isFree }] };
    const lease = { by, until: new Date(now.getTime() + leaseMs) };
    return {
      ...asking(n),
      lease: { $cond: [isTurn, { $literal: lease }, '$lease'] },
      signalAt: { $cond: [isTurn, overdueAfter(now), signalSoon(now)] },
    };
  });
  return claims.map(({ turn, by }, index) => {
    const { settled, lease } = partitions[index] ?? {};
    return settled === turn.n - 1 && lease?.by === by;
  });
}

export interface Settlement {
  turn: Turn;
  now: Date;
}

/** Moves partitions past settled numbers. Returns whether this process has to signal that another number waits. */
export async function settleTurns(
  store: Store,
  settlements: readonly Settlement[],
): Promise<boolean[]> {
  const partitions = await changeTurns(store, settlements, ({ turn: { n }, now }) => {
    const goesOn = { $cond: [{ $gt: ['$asked', n] }, soonAfter(now), null] };
    return {
      ...asking(n),
      settled: { $cond: [isNext(n), n, '$settled'] },
      lease: { $cond: [isNext(n), null, '$lease'] },
      signalAt: { $cond: [isNext(n), goesOn, signalSoon(now)] },
    };
  });
  return settlements.map(({ turn: { n } }, index) => {
    const partition = partitions[index] ?? null;
    // Who has got the next turn meanwhile goes on by itself.
    return partition?.settled === n && partition.asked > n && partition.lease === null;
  });
}

// Returns the partitions as they are then, one for each change; null where the number was settled before.
async function changeTurns<Item extends { turn: Turn }>(
  store: Store,
  items: readonly Item[],
  setOf: (item: Item) => Document,
): Promise<(PartitionDocument | null)[]> {
  const changes = items.map((item) => {
    const { partition, n } = item.turn;
    const filter = { _id: partitionId(partition), settled: { $lt: n } };
    return { filter, update: [{ $set: setOf(item) }] };
  });
  const [only] = changes;
  if (only !== undefined && changes.length === 1) {
    const { filter, update } = only;
    return [await store.partitions.findOneAndUpdate(filter, update, { returnDocument: 'after' })];
  }
  await store.partitions.bulkWrite(changes.map((change) => ({ updateOne: change })));
  const ids = changes.map(({ filter }) => filter._id);
  const found = await store.partitions.find({ _id: { $in: ids } }).toArray();
  const partitions = new Map(found.map((partition) => [partition._id, partition]));
  return ids.map((id) => partitions.get(id) ?? null);
}

/** Releases a turn: its delivery is due again at `dueAt`, or held, which is null. */
export async function returnTurn(
  store: Store,
  { partition, n }: Turn,
  { by, dueAt }: { by: string; dueAt: Date | null },
): Promise<void> {
  const isFree = [{ $eq: ['$lease', null] }, { $eq: ['$lease.by', by] }];
  const isTurn = { $and: [isNext(n), { $or: isFree }] };
  const signalAt = dueAt === null ? null : overdueAfter(dueAt);
  await store.partitions.updateOne({ _id: partitionId(partition), settled: { $lt: n } }, [
    {
      $set: {
        ...asking(n),
        lease: { $cond: [isTurn, null, '$lease'] },
        signalAt: { $cond: [isTurn, signalAt, '$signalAt'] },
      },
    },
  ]);
}

function asking(n: number): Document {
  return { asked: { $max: ['$asked', n] } };
}

function isNext(n: number): Document {
  return { $eq: ['$settled', n - 1] };
}

// Later numbers do not postpone it.
function signalSoon(now: Date): Document {
  return { $ifNull: ['$signalAt', soonAfter(now)] };
}
