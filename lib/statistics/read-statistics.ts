import type { Filter } from 'mongodb';
import { inSlices } from '../concurrency/in-slices.ts';
import { statisticsLimits } from '../limits.ts';
import type { Counts, StatisticsDocument, StatisticsInterval } from '../model/statistics.ts';
import { testEventName } from '../model/event-name.ts';
import type { Store } from '../mongo/connect.ts';
import { inSnapshot, type SnapshotRead } from '../mongo/snapshot.ts';
import {
  addCounts,
  addFact,
  type CountedDelivery,
  countedFields,
  emptyCounts,
  factsOf,
  ownersOf,
} from './count-deliveries.ts';
import { beginningOf, intervals, statisticsId } from './intervals.ts';

const { uncountedReadMax, staleUpdateMsMax } = statisticsLimits;

interface StatisticsRange {
  appUid: string;
  interval: StatisticsInterval;
  /** The start of an interval, like `until`. */
  since: Date;
  until: Date;
}

interface WantedStatistics extends StatisticsRange {
  webhookUid: string | null;
}

/** Counts before `completeUntil` are final; later ones may still grow. */
interface Statistics {
  /** One for each interval of the range, oldest first. */
  points: { at: Date; counts: Counts }[];
  totals: Counts;
  completeUntil: Date;
}

export interface WebhookStatistics {
  /** The webhooks with any counts, in the order of their uids. */
  webhooks: { webhookUid: string; counts: Counts }[];
  completeUntil: Date;
}

/** Reads the counts of a range, including uncounted deliveries if they are few. */
export async function readStatistics(store: Store, wanted: WantedStatistics): Promise<Statistics> {
  const { appUid, webhookUid, interval, since, until } = wanted;
  const owner = webhookUid ?? appUid;
  const points = new Map(startsIn(wanted).map((atMs) => [atMs, emptyCounts()]));
  const idAt = (time: Date): string => statisticsId(owner, interval, time.getTime());
  const completeUntil = await addAll(store, wanted, {
    ids: { $gte: idAt(since), $lt: idAt(until) },
    own: { appUid, ...(webhookUid === null ? {} : { webhookUid }) },
    countsOf: (of, atMs) => (of === owner ? points.get(atMs) : undefined),
  });
  const totals = emptyCounts();
  for await (const counts of inSlices(points.values())) addCounts(totals, counts);
  return {
    points: [...points].map(([atMs, counts]) => ({ at: new Date(atMs), counts })),
    totals,
    completeUntil,
  };
}

/** Reads the totals of a range for each webhook of an application. */
export async function readWebhookStatistics(
  store: Store,
  range: StatisticsRange,
): Promise<WebhookStatistics> {
  const { appUid, interval } = range;
  const webhooks = store.webhooks.find({ appUid }, { projection: { _id: 1 } }).sort({ _id: 1 });
  const uids = await webhooks.map(({ _id }) => _id).toArray();
  const starts = startsIn(range);
  const totals = new Map(uids.map((uid) => [uid, emptyCounts()]));
  const completeUntil = await addAll(store, range, {
    ids: { $in: uids.flatMap((uid) => starts.map((atMs) => statisticsId(uid, interval, atMs))) },
    own: { appUid },
    countsOf: (of, atMs) => (isWithin(range, atMs) ? totals.get(of) : undefined),
  });
  const counted = [...totals].map(([webhookUid, counts]) => ({ webhookUid, counts }));
  return { webhooks: counted.filter(({ counts }) => hasAny(counts)), completeUntil };
}

function startsIn({ interval, since, until }: StatisticsRange): number[] {
  const { ms } = intervals[interval];
  const count = (until.getTime() - since.getTime()) / ms;
  return Array.from({ length: count }, (_, index) => since.getTime() + index * ms);
}

function isWithin({ since, until }: StatisticsRange, atMs: number): boolean {
  return atMs >= since.getTime() && atMs < until.getTime();
}

function hasAny({ outcomes }: Counts): boolean {
  return Object.keys(outcomes).length > 0;
}

interface Reading {
  ids: NonNullable<Filter<StatisticsDocument>['_id']>;
  /** The filter of uncounted deliveries. */
  own: Partial<Pick<CountedDelivery, 'appUid' | 'webhookUid'>>;
  /** Returns the counts to add to, for an owner and the interval that starts at `atMs`. */
  countsOf: (owner: string, atMs: number) => Counts | undefined;
}

/** Returns the time before which the counts are final. */
async function addAll(store: Store, range: StatisticsRange, reading: Reading): Promise<Date> {
  const { since, until } = range;
  // In one snapshot; otherwise deliveries counted meanwhile would be missing or counted twice.
  const completeUntil = await inSnapshot(store, async (snapshot) => {
    const cursor = await store.statisticsCursors.findOne({ _id: 'deliveries' }, snapshot);
    const countedUntil = cursor?.countedUntil ?? new Date(0);
    await addCounted(store, range, { ...reading, snapshot });
    if (countedUntil < until)
      await addUncounted(store, range, { ...reading, countedUntil, snapshot });
    return countedUntil;
  });
  const completeUntilMs = Math.min(until.getTime(), completeUntil.getTime());
  return new Date(Math.max(since.getTime(), completeUntilMs));
}

async function addCounted(
  store: Store,
  { appUid }: StatisticsRange,
  { ids, countsOf, snapshot }: Reading & { snapshot: SnapshotRead },
): Promise<void> {
  const found = store.statistics.find(
    { _id: ids, appUid },
    { projection: { appUid: 0, expiresAt: 0 }, ...snapshot },
  );
  for await (const { _id, ...more } of inSlices(found)) {
    const [owner = '', , at = ''] = _id.split('/');
    const counts = countsOf(owner, Date.parse(at));
    if (counts !== undefined) addCounts(counts, more);
  }
}

/** Adds nothing if there are too many. */
async function addUncounted(
  store: Store,
  { interval }: StatisticsRange,
  {
    own,
    countsOf,
    countedUntil,
    snapshot,
  }: Reading & { countedUntil: Date; snapshot: SnapshotRead },
): Promise<void> {
  const updatedAt = { $gte: new Date(countedUntil.getTime() - staleUpdateMsMax) };
  const hint = 'updated';
  const count = await store.deliveries.countDocuments(
    { updatedAt },
    { limit: uncountedReadMax + 1, hint, ...snapshot },
  );
  if (count > uncountedReadMax) return;
  const found = store.deliveries.find<CountedDelivery>(
    { ...own, updatedAt, event: { $ne: testEventName } },
    { projection: countedFields, hint, ...snapshot },
  );
  for await (const delivery of inSlices(found)) {
    for (const fact of factsOf(delivery)) {
      if (fact.atMs < countedUntil.getTime()) continue;
      for (const owner of ownersOf(delivery)) {
        const counts = countsOf(owner, beginningOf(interval, fact.atMs));
        if (counts !== undefined) addFact(counts, fact);
      }
    }
  }
}
