// The fate of every change: compares the events with the received requests and the records.
import type { EventFacts } from '../../lib/model/event.ts';
import type { Store } from '../../lib/mongo/connect.ts';
import { factsOnly } from '../../lib/events/events.ts';
import { judgeDeliveries, type RunFacts } from './judge-deliveries.ts';
import type { Receipt } from './light-receiver.ts';

/** The result of a run. */
export interface Verdict extends ReturnType<typeof judgeDeliveries> {
  committedEvents: number;
  deliveries: number;
  /** At the ordered webhook. */
  outOfOrder: string[];
  /** Requests after the first that got a 2xx. */
  duplicates: number;
  /** The longest time from a change to its first request at a webhook. */
  latestFirstAttemptMs: number;
  /** The same, but counted from the end of the last fault before the request if that is later. */
  latestAfterFaultMs: number;
}

interface Evidence extends RunFacts {
  faultEndsMs: readonly number[];
}

/** Compares the committed events with the received requests and the records. */
export async function judge(store: Store, evidence: Evidence): Promise<Verdict> {
  const { receipts, webhookUids, faultEndsMs } = evidence;
  const events = await store.events.find({}, { projection: factsOnly }).toArray();
  const readAtMs = Date.now();
  const projection = { eventId: 1, webhookUid: 1, externalTenantId: 1, state: 1, cancelReason: 1 };
  const deliveries = await store.deliveries
    .find({}, { projection: { ...projection, nextAttemptAt: 1, 'attempts.status': 1 } })
    .toArray();
  const first = firstTimes(receipts, webhookUids);
  const taken = receipts.filter(({ status }) => status < 300);
  const firstTaken = firstTimes(taken, webhookUids);
  let latestFirstAttemptMs = 0;
  let latestAfterFaultMs = 0;
  for (const event of events) {
    for (const webhookUid of event.webhookUids) {
      const atMs = first.get(`${event._id}/${webhookUid}`);
      if (atMs === undefined) continue;
      const changedMs = event.createdAt.getTime();
      const faultMs = faultEndsMs.findLast((endMs) => endMs <= atMs) ?? 0;
      latestFirstAttemptMs = Math.max(latestFirstAttemptMs, atMs - changedMs);
      latestAfterFaultMs = Math.max(latestAfterFaultMs, atMs - Math.max(changedMs, faultMs));
    }
  }
  return {
    committedEvents: events.length,
    deliveries: first.size,
    ...judgeDeliveries({ events, deliveries, readAtMs }, evidence),
    outOfOrder: outOfOrder(events, { first, firstTaken, orderedUid: String(webhookUids[0]) }),
    duplicates: taken.length - firstTaken.size,
    latestFirstAttemptMs,
    latestAfterFaultMs,
  };
}

/** Returns the time of the first receipt of each delivery. */
function firstTimes(
  receipts: readonly Receipt[],
  webhookUids: readonly string[],
): Map<string, number> {
  const first = new Map<string, number>();
  for (const { eventId, hook, atMs } of receipts) {
    const key = `${eventId}/${webhookUids[hook]}`;
    if (!first.has(key)) first.set(key, atMs);
  }
  return first;
}

interface Times {
  /** The time of the first request of each delivery. */
  first: ReadonlyMap<string, number>;
  /** The time of the first request that got a 2xx. */
  firstTaken: ReadonlyMap<string, number>;
  orderedUid: string;
}

/** Returns the events whose first request arrived before an earlier one about the same resource had got a 2xx. */
export function outOfOrder(
  events: readonly Pick<EventFacts, '_id' | 'entity' | 'resourceUid' | 'sequence'>[],
  { first, firstTaken, orderedUid }: Times,
): string[] {
  const overtaken: string[] = [];
  const latest = new Map<string, number>();
  for (const event of events.toSorted((a, b) => (a.sequence ?? 0) - (b.sequence ?? 0))) {
    const key = `${event._id}/${orderedUid}`;
    const resource = `${event.entity}/${event.resourceUid}`;
    const latestMs = latest.get(resource) ?? 0;
    if ((first.get(key) ?? Infinity) < latestMs) overtaken.push(`${event._id} ${resource}`);
    latest.set(resource, Math.max(latestMs, firstTaken.get(key) ?? 0));
  }
  return overtaken;
}
