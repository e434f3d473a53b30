import type { ClientSession } from 'mongodb';
import { statisticsLimits } from '../limits.ts';
import type { Counts, StatisticsInterval } from '../model/statistics.ts';
import { testEventName } from '../model/event-name.ts';
import type { Store } from '../mongo/connect.ts';
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

const { uncountedReadMax, staleUpdateMsMax } = statisticsLimits;

export interface WantedStatistics {
  appUid: string;
  /** Null for the whole application. */
  webhookUid: string | null;
  interval: StatisticsInterval;
  /** The beginning of an interval, as `until`. */
  since: Date;
  until: Date;
}

export interface Statistics {
  /** One for each interval of the range, oldest first. */
  points: { at: Date; counts: Counts }[];
  totals: Counts;
  /** Until then nothing is missing, but for attempts under way. */
  completeUntil: Date;
}

/** Reads the counts of a range, with the deliveries that are not counted yet where they are few. */
export async function readStatistics(
  store: Store,
  wanted: WantedStatistics,
  now: Date,
): Promise<Statistics> {
  const { interval, since, until } = wanted;
  const points = new Map<number, Counts>();
  for (let atMs = since.getTime(); atMs < until.getTime(); atMs += intervals[interval].ms) {
    points.set(atMs, noCounts());
  }
  // Of one snapshot: else what is counted meanwhile would be missing or there twice.
  const completeUntil = await store.client.withSession({ snapshot: true }, async (session) => {
    const cursor = await store.statisticsCursors.findOne({ _id: 'deliveries' }, { session });
    const countedUntil = cursor?.countedUntil ?? new Date(0);
    await addCounted(store, wanted, { points, session });
    if (countedUntil >= until) return until;
    const isAll = await addUncounted(store, wanted, { points, countedUntil, session });
    return isAll ? now : countedUntil;
  });
  const totals = noCounts();
  for (const counts of points.values()) addCounts(totals, counts);
  const completeUntilMs = Math.min(until.getTime(), completeUntil.getTime());
  return {
    points: [...points].map(([atMs, counts]) => ({ at: new Date(atMs), counts })),
    totals,
    completeUntil: new Date(Math.max(since.getTime(), completeUntilMs)),
  };
}

interface Reading {
  points: Map<number, Counts>;
  session: ClientSession;
}

async function addCounted(
  store: Store,
  { appUid, webhookUid, interval, since, until }: WantedStatistics,
  { points, session }: Reading,
): Promise<void> {
  const idAt = (time: Date): string => statisticsId(webhookUid ?? appUid, interval, time.getTime());
  const found = store.statistics.find(
    { _id: { $gte: idAt(since), $lt: idAt(until) }, appUid },
    { projection: { appUid: 0, expiresAt: 0 }, session },
  );
  for await (const { _id, ...counts } of found) {
    const atMs = Date.parse(_id.slice(_id.lastIndexOf('/') + 1));
    if (points.has(atMs)) points.set(atMs, { ...noCounts(), ...counts });
  }
}

/** Returns false, and adds nothing, where they are too many. */
async function addUncounted(
  store: Store,
  { appUid, webhookUid, interval }: WantedStatistics,
  { points, countedUntil, session }: Reading & { countedUntil: Date },
): Promise<boolean> {
  const updatedAt = { $gte: new Date(countedUntil.getTime() - staleUpdateMsMax) };
  const hint = 'updated';
  const count = await store.deliveries.countDocuments(
    { updatedAt },
    { limit: uncountedReadMax + 1, hint, session },
  );
  if (count > uncountedReadMax) return false;
  const own = { appUid, ...(webhookUid === null ? {} : { webhookUid }) };
  const found = store.deliveries.find<CountedDelivery>(
    { updatedAt, ...own, event: { $ne: testEventName } },
    { projection: countedFields, hint, session },
  );
  for await (const delivery of found) {
    if (!ownersOf(delivery).includes(webhookUid ?? appUid)) continue;
    for (const fact of factsOf(delivery)) {
      const point = points.get(beginningOf(interval, fact.atMs));
      if (fact.atMs >= countedUntil.getTime() && point !== undefined) addFact(point, fact);
    }
  }
  return true;
}
