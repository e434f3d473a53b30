// The turn of an attempt (ADR 16): taken before it is sent, passed on once its outcome is recorded.
import type { Document } from 'mongodb';
import { attemptLimits } from '../limits.ts';
import type { DeliveryOutcome } from '../model/delivery-outcome.ts';
import { isOpen } from '../model/delivery-state.ts';
import type { DeliveryKey } from '../model/delivery.ts';
import {
  overdueAfter,
  type PartitionDocument,
  partitionId,
  soonAfter,
  type Turn,
} from '../model/partition.ts';
import type { Store } from '../mongo/connect.ts';
import type { Clock } from '../platform/clock.ts';
import type { SignalPartition } from '../temporal/signal-partition.ts';
import type { Caller } from '../model/caller.ts';

const leaseMs = attemptLimits.partitionLeaseMs;

/** `claimTurns` and `settleTurns`, batched over the concurrent attempts of a process. */
export interface TurnRecords {
  /** Returns whether it was got. */
  claimTurn(claim: Claim): Promise<boolean>;
  /** Returns whether the partition has to be signalled. */
  settleTurn(settlement: Settlement): Promise<boolean>;
}

interface TurnPorts {
  store: Store;
  records: TurnRecords;
  clock: Clock;
  signalPartition: SignalPartition;
}

interface InTurn {
  key: DeliveryKey;
  turn: Turn;
  caller: Caller;
}

/** Claims the turn of a delivery. Returns true when it may be sent: without an order, by a job, or in its turn. */
export async function takeTurn(
  { records, clock }: TurnPorts,
  { key, turn, caller }: Omit<InTurn, 'turn'> & { turn: Turn | null },
): Promise<boolean> {
  if (turn === null || caller.kind === 'job') return true;
  return records.claimTurn({ turn, by: holderOf(key, caller), now: clock.now() });
}

// Retries are left to the partition's workflow: the outcome of a first attempt is then `waiting`.
export async function passTurn(
  { store, records, clock, signalPartition }: TurnPorts,
  { key, turn, caller, outcome }: InTurn & { outcome: DeliveryOutcome },
): Promise<DeliveryOutcome> {
  const { state, nextAttemptAt } = outcome;
  const now = clock.now();
  if (state !== 'superseded' && state !== 'waiting' && !isOpen(state)) {
    const isMoreWaiting = await records.settleTurn({ turn, now });
    if (isMoreWaiting && caller.kind !== 'partition') await signalPartition(turn.partition);
    return outcome;
  }
  if (caller.kind === 'job' || state === 'superseded') return outcome;
  const dueAt = nextAttemptAt === null ? now : new Date(nextAttemptAt);
  const by = holderOf(key, caller);
  await returnTurn(store, turn, { by, dueAt: state === 'held' ? null : dueAt });
  if (caller.kind === 'partition' || state === 'held') return outcome;
  await signalPartition(turn.partition);
  return { ...outcome, state: 'waiting' };
}

// Who repeats an attempt after a crash is the same holder: the workflow of the event, or that of the partition.
function holderOf({ eventId }: DeliveryKey, caller: Caller): string {
  return caller.kind === 'partition' ? 'partition' : eventId;
}

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
