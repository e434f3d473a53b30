import type { AnyBulkWriteOperation } from 'mongodb';
import { statisticsLimits } from '../limits.ts';
import { testEventName } from '../model/event-name.ts';
import {
  type Counts,
  type StatisticsDocument,
  type StatisticsInterval,
  statisticsIntervals,
} from '../model/statistics.ts';
import { type Store } from '../mongo/connect.ts';
import { inSnapshot } from '../mongo/snapshot.ts';
import { inTransaction } from '../mongo/transaction.ts';
import { isDuplicateKey } from '../mongo/write-errors.ts';
import { minuteMs } from '../platform/duration.ts';
import { timeOfId } from '../platform/ids.ts';
import { addCounts, type CountedDelivery, countedFields, emptyCounts } from './count-deliveries.ts';
import { beginningOf, intervals, statisticsId } from './intervals.ts';
import { type Part, type Span, type Tallied, Tally } from './tally.ts';

const { countedAfterMs, countLeaseMs, countedTogetherMax, staleUpdateMsMax } = statisticsLimits;

/**
 * Counts the whole minutes that ended at least a minute ago, and returns whether there were any. Counts and cursor are
 * written in one transaction: neither a crash nor a second process loses or doubles anything.
 */
export async function countMinutes(store: Store, now: Date): Promise<boolean> {
  const span = await takeSpan(store, now);
  if (span === null) return false;
  const tally = await tallySpan(store, span);
  const parts = tally.parts(countedTogetherMax);
  for (const part of parts) {
    if (!(await writePart(store, part, part === parts.at(-1)))) return false;
  }
  return true;
}

// The lease only avoids duplicate work; the transaction ensures that one process counts.
async function takeSpan(store: Store, now: Date): Promise<Span | null> {
  const due = new Date(beginningOf('minute', now.getTime() - countedAfterMs));
  const leased = await store.statisticsCursors.findOneAndUpdate(
    { _id: 'deliveries', countedUntil: { $lt: due }, leaseUntil: { $lte: now } },
    { $set: { leaseUntil: new Date(now.getTime() + countLeaseMs) } },
  );
  if (leased !== null) return { start: leased.countedUntil, end: due };
  await ensureCursor(store, now);
  return null;
}

// Starts before the first attempt ever.
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

// In one snapshot; otherwise a delivery updated meanwhile would be read twice.
async function tallySpan(store: Store, span: Span): Promise<Tally> {
  const tally = new Tally(span);
  const since = new Date(span.start.getTime() - staleUpdateMsMax);
  await inSnapshot(store, async (snapshot) => {
    // Filtering the first range by attempts could make a call take long after downtime, so all of it is returned. The
    // two minutes after the span are filtered, because most of them is not needed.
    const reads = [
      { updatedAt: { $gte: since, $lt: span.end } },
      { updatedAt: { $gte: span.end }, 'attempts.0.at': { $lt: span.end } },
    ];
    for (const filter of reads) {
      const found = store.deliveries.find<CountedDelivery>(filter, {
        projection: countedFields,
        hint: 'updated',
        batchSize: 1_000,
        ...snapshot,
      });
      for await (const delivery of found) {
        if (delivery.event !== testEventName) tally.add(delivery);
      }
    }
  });
  return tally;
}

async function writePart(
  store: Store,
  { start, end, counted }: Part,
  isLast: boolean,
): Promise<boolean> {
  const progress = isLast ? { countedUntil: end, leaseUntil: new Date(0) } : { countedUntil: end };
  const updates = statisticsIntervals.flatMap((interval) => updatesOf(interval, counted));
  return inTransaction(store, async (session) => {
    const moved = await store.statisticsCursors.updateOne(
      { _id: 'deliveries', countedUntil: start },
      { $set: progress },
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
    const total = merged.get(id) ?? { appUid, atMs, counts: emptyCounts() };
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

// Keyed by the path of each count in the document, such as `attemptMs.37`.
function incrementsOf(counts: Counts): Record<string, number> {
  const paths = Object.entries(counts).flatMap(([name, numbers]) =>
    Object.entries(numbers).map(([key, count]) => [`${name}.${key}`, count]),
  );
  return Object.fromEntries(paths) as Record<string, number>;
}
