import type { AnyBulkWriteOperation, ClientSession } from 'mongodb';
import { statisticsLimits } from '../limits.ts';
import { testEventName } from '../model/event-name.ts';
import {
  type Counts,
  type StatisticsDocument,
  type StatisticsInterval,
  statisticsIntervals,
} from '../model/statistics.ts';
import { type Store } from '../mongo/connect.ts';
import { inTransaction, isDuplicateKey } from '../mongo/transaction.ts';
import { minuteMs } from '../platform/duration.ts';
import { timeOfId } from '../platform/ids.ts';
import {
  addCounts,
  addFact,
  type CountedDelivery,
  countedFields,
  factsOf,
  noCounts,
  ownersOf,
} from './count-deliveries.ts';
import { beginningOf, intervals, statisticsId } from './intervals.ts';

const { countedAfterMs, countLeaseMs, countedTogetherMax, minutesPerCountMax, staleUpdateMsMax } =
  statisticsLimits;

interface Span {
  start: Date;
  end: Date;
}

interface Tallied {
  appUid: string;
  owner: string;
  minuteMs: number;
  counts: Counts;
}

/**
 * Counts the next whole minutes, which ended a minute ago at least, and returns whether there were any. The counts and
 * the cursor behind them are one transaction: neither a crash nor a second process loses or doubles anything.
 */
export async function countMinutes(store: Store, now: Date): Promise<boolean> {
  const span = await takeSpan(store, now);
  if (span === null) return false;
  const tally = await tallySpan(store, span, now);
  return writeSpan(store, { start: span.start, end: endOfFirst(span, tally) }, tally);
}

// As many minutes as one transaction takes, but at least one.
function endOfFirst({ start, end }: Span, tally: ReadonlyMap<string, Tallied>): Date {
  const owners = new Map<number, number>();
  for (const { minuteMs: atMs } of tally.values()) owners.set(atMs, (owners.get(atMs) ?? 0) + 1);
  let sum = 0;
  for (let atMs = start.getTime(); atMs < end.getTime(); atMs += minuteMs) {
    sum += owners.get(atMs) ?? 0;
    if (sum > countedTogetherMax && atMs > start.getTime()) return new Date(atMs);
  }
  return end;
}

// The lease only saves a second process the work: the transaction lets one of two count.
async function takeSpan(store: Store, now: Date): Promise<Span | null> {
  const due = new Date(beginningOf('minute', now.getTime() - countedAfterMs));
  const leased = await store.statisticsCursors.findOneAndUpdate(
    { _id: 'deliveries', countedUntil: { $lt: due }, leaseUntil: { $lte: now } },
    { $set: { leaseUntil: new Date(now.getTime() + countLeaseMs) } },
  );
  if (leased === null) {
    await ensureCursor(store, now);
    return null;
  }
  const start = leased.countedUntil;
  const endMs = Math.min(due.getTime(), start.getTime() + minutesPerCountMax * minuteMs);
  return { start, end: new Date(endMs) };
}

// Begins before the first attempt of all.
async function ensureCursor(store: Store, now: Date): Promise<void> {
  if ((await store.statisticsCursors.findOne({ _id: 'deliveries' })) !== null) return;
  const [oldest] = await store.deliveries
    .find({}, { projection: { _id: 1 } })
    .sort({ _id: 1 })
    .limit(1)
    .toArray();
  const firstAt = oldest === undefined ? now : timeOfId(oldest._id);
  const countedUntil = new Date(beginningOf('minute', firstAt.getTime() - minuteMs));
  try {
    await store.statisticsCursors.insertOne({
      _id: 'deliveries',
      countedUntil,
      leaseUntil: new Date(0),
    });
  } catch (error) {
    if (!isDuplicateKey(error)) throw error;
  }
}

// Of one snapshot: else a delivery that is recorded again meanwhile would be read again further on.
async function tallySpan(
  store: Store,
  { start, end }: Span,
  now: Date,
): Promise<Map<string, Tallied>> {
  const tally = new Map<string, Tallied>();
  await store.client.withSession({ snapshot: true }, async (session) => {
    // In parts, so that after a long pause, too, no single call takes long: one answers when it has read its whole part.
    const firstMs = start.getTime() - staleUpdateMsMax;
    for (let fromMs = firstMs; fromMs <= now.getTime(); fromMs += minuteMs) {
      const isLast = fromMs + minuteMs > now.getTime();
      const until = isLast ? {} : { $lt: new Date(fromMs + minuteMs) };
      const updatedAt = { $gte: new Date(fromMs), ...until };
      const found = readDeliveries(store, { updatedAt, end, session });
      for await (const delivery of found) addToTally(tally, delivery, { start, end });
    }
  });
  return tally;
}

// What was touched since, except where nothing of it can have ended in time.
function readDeliveries(
  store: Store,
  facts: { updatedAt: { $gte: Date; $lt?: Date }; end: Date; session: ClientSession },
): AsyncIterable<CountedDelivery> {
  const { updatedAt, end, session } = facts;
  return store.deliveries.find<CountedDelivery>(
    {
      updatedAt,
      event: { $ne: testEventName },
      $or: [
        { 'attempts.0.at': { $lt: end } },
        { $and: [{ state: 'cancelled' }, { updatedAt: { $lt: end } }] },
      ],
    },
    { projection: countedFields, hint: 'updated', batchSize: 1_000, session },
  );
}

function addToTally(
  tally: Map<string, Tallied>,
  delivery: CountedDelivery,
  { start, end }: Span,
): void {
  for (const fact of factsOf(delivery)) {
    if (fact.atMs < start.getTime() || fact.atMs >= end.getTime()) continue;
    const minuteMs = beginningOf('minute', fact.atMs);
    for (const owner of ownersOf(delivery)) {
      const key = `${owner}/${minuteMs}`;
      const tallied = tally.get(key) ?? {
        appUid: delivery.appUid,
        owner,
        minuteMs,
        counts: noCounts(),
      };
      addFact(tallied.counts, fact);
      tally.set(key, tallied);
    }
  }
}

async function writeSpan(
  store: Store,
  { start, end }: Span,
  tally: ReadonlyMap<string, Tallied>,
): Promise<boolean> {
  const counted = [...tally.values()].filter(({ minuteMs: atMs }) => atMs < end.getTime());
  const updates = statisticsIntervals.flatMap((interval) => updatesOf(interval, counted));
  return inTransaction(store, async (session) => {
    const moved = await store.statisticsCursors.updateOne(
      { _id: 'deliveries', countedUntil: start },
      { $set: { countedUntil: end, leaseUntil: new Date(0) } },
      { session },
    );
    if (moved.matchedCount === 0) return false;
    if (updates.length > 0) await store.statistics.bulkWrite(updates, { session, ordered: false });
    return true;
  });
}

function updatesOf(
  interval: StatisticsInterval,
  tally: readonly Tallied[],
): AnyBulkWriteOperation<StatisticsDocument>[] {
  const merged = new Map<string, { appUid: string; atMs: number; counts: Counts }>();
  for (const { appUid, owner, minuteMs, counts } of tally) {
    const atMs = beginningOf(interval, minuteMs);
    const id = statisticsId(owner, interval, atMs);
    const total = merged.get(id) ?? { appUid, atMs, counts: noCounts() };
    addCounts(total.counts, counts);
    merged.set(id, total);
  }
  return [...merged].map(([_id, { appUid, atMs, counts }]) => ({
    updateOne: {
      filter: { _id, appUid },
      update: {
        $setOnInsert: { expiresAt: new Date(atMs + intervals[interval].keptMs) },
        $inc: incrementsOf(counts),
      },
      upsert: true,
    },
  }));
}

// By the path of each count in the document, such as `attemptMs.37`.
function incrementsOf(counts: Counts): Record<string, number> {
  const paths = Object.entries(counts).flatMap(([name, numbers]) =>
    Object.entries(numbers).map(([key, count]) => [`${name}.${key}`, count]),
  );
  return Object.fromEntries(paths) as Record<string, number>;
}
