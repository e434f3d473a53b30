// Deliveries without a document: it is written with the first attempt.
import { limits } from '../limits.ts';
import { pairOf } from '../model/delivery.ts';
import { deliveredEventNames } from '../model/event-name.ts';
import type { EventDocument } from '../model/event.ts';
import type { Store } from '../mongo/connect.ts';
import type { SnapshotRead } from '../mongo/snapshot.ts';
import { idAt } from '../platform/ids.ts';
import type { WantedDeliveries } from './delivery-lists.ts';

const { inFlightMsMax, inFlightEventsMax, inFlightPairsMax } = limits;

// An event can name 1,000 webhooks.
const eventsAtOnce = 100;

const shownFields = { event: 1, externalTenantId: 1, webhookUids: 1, createdAt: 1 } as const;

/** The fields of an event that its deliveries show before they are recorded. */
export type RecentEvent = Pick<EventDocument, '_id' | keyof typeof shownFields>;

export interface InFlight {
  event: RecentEvent;
  webhookUid: string;
}

interface Reading {
  limit: number;
  now: Date;
  snapshot: SnapshotRead;
}

/** Checks whether a list can contain deliveries that are not recorded yet. They pass no filter by class or `until`. */
export function canBeInFlight({
  state,
  statusClass,
  errorClass,
  until,
}: WantedDeliveries): boolean {
  const isOpenState = state === null || state === 'pending';
  return isOpenState && statusClass === null && errorClass === null && until === null;
}

/** Returns the latest deliveries that are not recorded yet, of events of the last minute, newest event first. */
export async function readInFlight(
  store: Store,
  wanted: WantedDeliveries,
  { limit, now, snapshot }: Reading,
): Promise<InFlight[]> {
  const sinceMs = Math.max(now.getTime() - inFlightMsMax, wanted.since?.getTime() ?? 0);
  const pairs = await readPairs(store, { ...wanted, since: new Date(sinceMs) }, snapshot);
  if (pairs.length === 0) return [];
  const recorded = await readRecorded(store, pairs, snapshot);
  const isRecorded = ({ event, webhookUid }: InFlight): boolean =>
    recorded.has(pairOf({ eventId: event._id, webhookUid }));
  return pairs.filter((pair) => !isRecorded(pair)).slice(0, limit);
}

// A webhook is compared here: in the query, MongoDB would read any number of events to find those of a rare one.
async function readPairs(
  store: Store,
  { appUid, event, externalTenantId, webhookUid, since }: WantedDeliveries & { since: Date },
  snapshot: SnapshotRead,
): Promise<InFlight[]> {
  const filter = {
    appUid,
    ...(externalTenantId === null ? {} : { externalTenantId }),
    event: { $in: event === null ? [...deliveredEventNames] : [event] },
    _id: { $gte: idAt('evt', since) },
  };
  const hint = externalTenantId === null ? 'event' : 'tenant';
  const events = store.events
    .find<RecentEvent>(filter, {
      projection: shownFields,
      hint,
      batchSize: eventsAtOnce,
      ...snapshot,
    })
    .sort({ _id: -1 })
    .limit(inFlightEventsMax);
  const pairs: InFlight[] = [];
  for await (const found of events) {
    const uids = found.webhookUids.filter((uid) => webhookUid === null || uid === webhookUid);
    if (pairs.length > 0 && pairs.length + uids.length > inFlightPairsMax) break;
    pairs.push(...uids.toSorted().map((uid) => ({ event: found, webhookUid: uid })));
  }
  return pairs;
}

async function readRecorded(
  store: Store,
  pairs: readonly InFlight[],
  snapshot: SnapshotRead,
): Promise<Set<string>> {
  const eventIds = [...new Set(pairs.map(({ event }) => event._id))];
  const webhookUids = [...new Set(pairs.map(({ webhookUid }) => webhookUid))];
  const rows = store.deliveries.find(
    { eventId: { $in: eventIds }, webhookUid: { $in: webhookUids } },
    { projection: { _id: 0, eventId: 1, webhookUid: 1 }, hint: 'eventWebhook', ...snapshot },
  );
  return new Set(await rows.map(pairOf).toArray());
}
