// The fate of every change: compares the events with the received requests and the records.
import type { EventFacts } from '../../lib/model/event.ts';
import type { Store } from '../../lib/mongo/connect.ts';
import { factsOnly } from '../../lib/events/events.ts';

/** A request at the receiver, for webhook number `hook`. */
export interface Receipt {
  atMs: number;
  eventId: string;
  hook: number;
}

/** The result of a run. */
export interface Verdict {
  committedEvents: number;
  deliveries: number;
  /** Deliveries that were never received. */
  lost: string[];
  /** Deliveries that were not recorded as delivered in time, received or not. */
  unsettled: string[];
  /** Events that arrived at the ordered webhook before an earlier one about the same resource. */
  outOfOrder: string[];
  duplicates: number;
  /** The longest time from a change to its first request at a webhook. */
  latestFirstAttemptMs: number;
  /** The same, counted from the end of the last fault before the request if that is later. */
  latestAfterFaultMs: number;
}

interface Evidence {
  receipts: readonly Receipt[];
  webhookUids: readonly string[];
  faultEndsMs: readonly number[];
}

/** Compares the committed events with the received requests and the records. */
export async function judge(
  store: Store,
  { receipts, webhookUids, faultEndsMs }: Evidence,
): Promise<Verdict> {
  const events = await store.events.find({}, { projection: factsOnly }).toArray();
  const found = await store.deliveries.find({}, { projection: { attempts: 0 } }).toArray();
  const states = new Map(found.map((each) => [`${each.eventId}/${each.webhookUid}`, each.state]));
  const first = new Map<string, number>();
  for (const { eventId, hook, atMs } of receipts) {
    const key = `${eventId}/${webhookUids[hook]}`;
    if (!first.has(key)) first.set(key, atMs);
  }
  const lost: string[] = [];
  const unsettled: string[] = [];
  let latestFirstAttemptMs = 0;
  let latestAfterFaultMs = 0;
  for (const event of events) {
    for (const webhookUid of event.webhookUids) {
      const key = `${event._id}/${webhookUid}`;
      const state = states.get(key) ?? 'no document';
      if (state !== 'delivered') unsettled.push(`${key} ${state}`);
      const atMs = first.get(key);
      if (atMs === undefined) {
        lost.push(`${key} ${state}`);
        continue;
      }
      const changedMs = event.createdAt.getTime();
      const faultMs = faultEndsMs.findLast((endMs) => endMs <= atMs) ?? 0;
      latestFirstAttemptMs = Math.max(latestFirstAttemptMs, atMs - changedMs);
      latestAfterFaultMs = Math.max(latestAfterFaultMs, atMs - Math.max(changedMs, faultMs));
    }
  }
  return {
    committedEvents: events.length,
    deliveries: first.size,
    lost,
    unsettled,
    outOfOrder: outOfOrder(events, first, String(webhookUids[0])),
    duplicates: receipts.length - first.size,
    latestFirstAttemptMs,
    latestAfterFaultMs,
  };
}

/** Returns the events that arrived at the ordered webhook before an earlier one about the same resource. */
function outOfOrder(
  events: readonly EventFacts[],
  first: ReadonlyMap<string, number>,
  orderedUid: string,
): string[] {
  const overtaken: string[] = [];
  const latest = new Map<string, number>();
  for (const event of events.toSorted((a, b) => (a.sequence ?? 0) - (b.sequence ?? 0))) {
    const atMs = first.get(`${event._id}/${orderedUid}`);
    if (atMs === undefined) continue;
    const resource = `${event.entity}/${event.resourceUid}`;
    if (atMs < (latest.get(resource) ?? 0)) overtaken.push(`${event._id} ${resource}`);
    latest.set(resource, atMs);
  }
  return overtaken;
}
