import type { ClientSession } from 'mongodb';
import { attemptLimits } from '../limits.ts';
import type { DeliveryOutcome } from '../model/delivery-outcome.ts';
import { isOpen } from '../model/delivery-state.ts';
import type { DeliveryDocument, DeliveryKey } from '../model/delivery.ts';
import {
  type PartitionDocument,
  partitionId,
  type PartitionKey,
  type Turn,
} from '../model/partition.ts';
import { type Store } from '../mongo/connect.ts';
import { within } from '../mongo/transaction.ts';
import type { Asker } from './decide.ts';
import type { DeliveryPorts } from './ports.ts';

const leaseMs = attemptLimits.partitionLeaseMs;
// The relay signals a partition that nobody moved for so long after a commit, a settled number or a release.
const idleMs = 5_000;
// The same after a retry was due, for which the workflow has a timer of its own.
const overdueMs = 60_000;

/** Issues the next number of its partition to each entry, in the transaction that commits or requeues the events. */
export async function issueNumbers(
  store: Store,
  partitions: readonly PartitionKey[],
  { now, session }: { now: Date; session: ClientSession },
): Promise<number[]> {
  const counts = new Map<string, { partition: PartitionKey; count: number }>();
  for (const partition of partitions) {
    const id = partitionId(partition);
    counts.set(id, { partition, count: (counts.get(id)?.count ?? 0) + 1 });
  }
  if (counts.size === 0) return [];
  const signalAt = after(now, idleMs);
  await store.partitions.bulkWrite(
    [...counts].flatMap(([_id, { partition, count }]) => [
      {
        updateOne: {
          filter: { _id },
          update: {
            $inc: { issued: count },
            $setOnInsert: { ...partition, settled: 0, lease: null, signalAt },
          },
          upsert: true,
        },
      },
      // An earlier number may wait for its signal: changes that go on coming must not postpone it.
      { updateOne: { filter: { _id, signalAt: null }, update: { $set: { signalAt } } } },
    ]),
    { session, ordered: false },
  );
  const issued = await store.partitions
    .find({ _id: { $in: [...counts.keys()] } }, { projection: { issued: 1 }, session })
    .toArray();
  const next = new Map(
    issued.map(({ _id, issued: last }) => [_id, last - (counts.get(_id)?.count ?? 0)]),
  );
  return partitions.map((partition) => {
    const id = partitionId(partition);
    const n = (next.get(id) ?? 0) + 1;
    next.set(id, n);
    return n;
  });
}

/** Claims a turn: false unless the numbers before are settled and no other lease runs. `by` may claim again. */
export async function claimTurn(
  store: Store,
  { partition, n }: Turn,
  { by, now }: { by: string; now: Date },
): Promise<boolean> {
  const isFree = [{ lease: null }, { 'lease.by': by }, { 'lease.until': { $lt: now } }];
  const { matchedCount } = await store.partitions.updateOne(
    { _id: partitionId(partition), settled: n - 1, $or: isFree },
    { $set: { lease: { by, until: after(now, leaseMs) }, signalAt: after(now, overdueMs) } },
  );
  return matchedCount > 0;
}

/** Moves a partition past a settled number. Returns whether this call did and another number waits. */
export async function settleTurn(
  store: Store,
  { partition, n }: Turn,
  now: Date,
): Promise<boolean> {
  const moved = await store.partitions.findOneAndUpdate(
    { _id: partitionId(partition), settled: n - 1 },
    [
      {
        $set: {
          settled: n,
          lease: null,
          signalAt: { $cond: [{ $gt: ['$issued', n] }, after(now, idleMs), null] },
        },
      },
    ],
    { returnDocument: 'after' },
  );
  return moved !== null && moved.issued > n;
}

/** Releases a turn: its delivery is due again at `dueAt`, or held, which is null. */
export async function returnTurn(
  store: Store,
  { partition, n }: Turn,
  { by, dueAt }: { by: string; dueAt: Date | null },
): Promise<void> {
  await store.partitions.updateOne(
    { _id: partitionId(partition), settled: n - 1, $or: [{ lease: null }, { 'lease.by': by }] },
    { $set: { lease: null, signalAt: dueAt === null ? null : after(dueAt, overdueMs) } },
  );
}

export async function nextNumber(store: Store, partition: PartitionKey): Promise<number | null> {
  const found = await store.partitions.findOne({ _id: partitionId(partition) });
  return found === null || found.settled >= found.issued ? null : found.settled + 1;
}

export async function findSettled(
  store: Store,
  partitions: readonly PartitionKey[],
  session: ClientSession,
): Promise<Map<string, number>> {
  const found = await store.partitions
    .find({ _id: { $in: partitions.map(partitionId) } }, { projection: { settled: 1 }, session })
    .toArray();
  return new Map(found.map(({ _id, settled }) => [_id, settled]));
}

export async function findNumbered(
  store: Store,
  { appUid, webhookUid, entity, resourceUid }: PartitionKey,
  { from, countMax }: { from: number; countMax: number },
): Promise<{ eventId: string; n: number }[]> {
  const place = { webhookUid, n: { $gte: from, $lt: from + countMax } };
  const found = await store.events
    .find(
      // Only with the last, redundant condition MongoDB uses the partial index.
      { appUid, entity, resourceUid, order: { $elemMatch: place }, 'order.n': { $gt: 0 } },
      { projection: { order: 1 } },
    )
    .toArray();
  return found
    .map(({ _id, order }) => ({
      eventId: _id,
      n: order.find((each) => each.webhookUid === webhookUid)?.n ?? 0,
    }))
    .toSorted((a, b) => a.n - b.n);
}

/** Returns the uids of those deliveries whose turn does not come again: their number is settled. */
export async function findPassed(
  store: Store,
  deliveries: readonly Pick<DeliveryDocument, '_id' | 'eventId' | 'partition'>[],
  session: ClientSession,
): Promise<string[]> {
  const ids = deliveries.flatMap(({ partition }) => partition ?? []);
  if (ids.length === 0) return [];
  const eventIds = deliveries.map(({ eventId }) => eventId);
  const partitions = await store.partitions.find({ _id: { $in: ids } }, { session }).toArray();
  const events = await store.events
    .find({ _id: { $in: eventIds } }, { projection: { order: 1 }, session })
    .toArray();
  const partitionOf = new Map(partitions.map((each) => [each._id, each]));
  const orderOf = new Map(events.map(({ _id, order }) => [_id, order]));
  return deliveries.flatMap(({ _id, eventId, partition }) => {
    const found = partition === null ? undefined : partitionOf.get(partition);
    const place = orderOf.get(eventId)?.find((each) => each.webhookUid === found?.webhookUid);
    const isAhead = found !== undefined && place !== undefined && place.n > found.settled;
    return isAhead ? [] : [_id];
  });
}

/** Has the relay signal partitions soon if nobody moves them before; in the transaction that makes them go on. */
export async function expectSignal(
  store: Store,
  partitionIds: readonly string[],
  { now, session }: { now: Date; session?: ClientSession },
): Promise<void> {
  if (partitionIds.length === 0) return;
  const signalAt = after(now, idleMs);
  await store.partitions.updateMany(
    { _id: { $in: [...partitionIds] }, $or: [{ signalAt: null }, { signalAt: { $gt: signalAt } }] },
    { $set: { signalAt } },
    within(session),
  );
}

/** Has the relay signal all partitions soon in which something waits; returns how many it would have left for longer. */
export async function expectAllSignals(store: Store, now: Date): Promise<number> {
  const signalAt = after(now, idleMs);
  const { modifiedCount } = await store.partitions.updateMany(
    // Only with the redundant `$type` MongoDB uses the partial index.
    { signalAt: { $gt: signalAt, $type: 'date' } },
    { $set: { signalAt } },
  );
  return modifiedCount;
}

/** Returns partitions that should have moved by now, and makes them overdue again a minute later. */
export async function takeOverdue(
  store: Store,
  now: Date,
  countMax: number,
): Promise<PartitionDocument[]> {
  const overdue = await store.partitions
    // Only with the redundant `$type` MongoDB uses the partial index.
    .find({ signalAt: { $lt: now, $type: 'date' } })
    .sort({ signalAt: 1 })
    .limit(countMax)
    .toArray();
  if (overdue.length === 0) return [];
  const ids = overdue.map(({ _id }) => _id);
  await store.partitions.updateMany(
    { _id: { $in: ids }, signalAt: { $lt: now } },
    { $set: { signalAt: after(now, overdueMs) } },
  );
  return overdue;
}

const removedMax = 1_000;

/** Returns whether none is left. */
export async function removePartitions(
  store: Store,
  webhookUid: string,
  session: ClientSession,
): Promise<boolean> {
  // `0` comes after `/`, which ends the webhook's uid in a partition's.
  const found = await store.partitions
    .find({ _id: { $gt: `${webhookUid}/`, $lt: `${webhookUid}0` } }, { session })
    .limit(removedMax)
    .map(({ _id }) => _id)
    .toArray();
  await store.partitions.deleteMany({ _id: { $in: found } }, { session });
  return found.length < removedMax;
}

function after(time: Date, ms: number): Date {
  return new Date(time.getTime() + ms);
}

type TurnPorts = Pick<DeliveryPorts, 'store' | 'clock' | 'signalPartition'>;

interface InTurn {
  key: DeliveryKey;
  turn: Turn;
  asker: Asker;
}

/** Claims the turn of a delivery; true when it may be sent, as without an order or for a job it always may. */
export async function takeTurn(
  { store, clock }: TurnPorts,
  { key, turn, asker }: Omit<InTurn, 'turn'> & { turn: Turn | null },
): Promise<boolean> {
  if (turn === null || asker.kind === 'job') return true;
  return claimTurn(store, turn, { by: holderOf(key, asker), now: clock.now() });
}

// Retries are left to the partition's workflow: the outcome of a first attempt is then `waiting`.
export async function passTurn(
  { store, clock, signalPartition }: TurnPorts,
  { key, turn, asker, outcome }: InTurn & { outcome: DeliveryOutcome },
): Promise<DeliveryOutcome> {
  const { state, nextAttemptAt } = outcome;
  const now = clock.now();
  if (state !== 'superseded' && state !== 'waiting' && !isOpen(state)) {
    const isMoreWaiting = await settleTurn(store, turn, now);
    if (isMoreWaiting && asker.kind !== 'partition') await signalPartition(turn.partition);
    return outcome;
  }
  if (asker.kind === 'job' || state === 'superseded') return outcome;
  const dueAt = nextAttemptAt === null ? now : new Date(nextAttemptAt);
  const by = holderOf(key, asker);
  await returnTurn(store, turn, { by, dueAt: state === 'held' ? null : dueAt });
  if (asker.kind === 'partition' || state === 'held') return outcome;
  await signalPartition(turn.partition);
  return { ...outcome, state: 'waiting' };
}

// After a crash the event's workflow repeats its own attempt, and that of the partition any.
function holderOf({ eventId }: DeliveryKey, asker: Asker): string {
  return asker.kind === 'partition' ? 'partition' : eventId;
}
