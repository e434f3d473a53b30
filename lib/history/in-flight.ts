// Deliveries without a document: it is written with the first attempt.
import { limits } from '../limits.ts';
import { pairOf } from '../model/delivery.ts';
import { deliveredEventNames } from '../model/event-name.ts';
import type { EventDocument } from '../model/event.ts';
import type { Store } from '../mongo/connect.ts';
import { madeWithin, type PageRequest } from '../mongo/paging.ts';
import type { SnapshotRead } from '../mongo/snapshot.ts';
import type { WantedDeliveries } from './delivery-lists.ts';

const { inFlightMsMax, inFlightEventsMax, inFlightPairsMax } = limits;

// An event can name 1,000 webhooks.
const eventsAtOnce = 100;

const shownFields = { event: 1, externalTenantId: 1, webhookUids: 1, createdAt: 1 } as const;

/** The fields of an event that its deliveries show before they are recorded. */
export type RecentEvent = Pick<EventDocument, '_id' | keyof typeof shownFields>;

export interface InFlight {
  _id: string;
  event: RecentEvent;
  webhookUid: string;
}

interface Reading extends PageRequest {
  now: Date;
  snapshot: SnapshotRead;
}

/** Checks whether a list can contain deliveries that are not recorded yet. They pass no filter by class. */
export function canBeInFlight({ state, statusClass, errorClass }: WantedDeliveries): boolean {
  const isOpenState = state === null || state === 'pending';
  return isOpenState && statusClass === null && errorClass === null;
}

/** Returns the latest deliveries that are not recorded yet, of events of the last minute, newest first. */
export async function readInFlight(
  store: Store,
  wanted: WantedDeliveries,
  { limit, after, now, snapshot }: Reading,
): Promise<InFlight[]> {
  const sinceMs = Math.max(now.getTime() - inFlightMsMax, wanted.since?.getTime() ?? 0);
  const range = { ...wanted, since: new Date(sinceMs), after };
  const pairs = await readPairs(store, range, snapshot);
  if (pairs.length === 0) return [];
  const recorded = await readRecorded(store, pairs, snapshot);
  return pairs.filter(({ _id }) => !recorded.has(_id)).slice(0, limit);
}

// A webhook is compared here: in the query, MongoDB would read any number of events to find those of a rare one.
async function readPairs(
  store: Store,
  { after, ...wanted }: WantedDeliveries & Pick<PageRequest, 'after'>,
  snapshot: SnapshotRead,
): Promise<InFlight[]> {
  const { appUid, event, externalTenantId, webhookUid } = wanted;
  const filter = {
    appUid,
    ...(externalTenantId === null ? {} : { externalTenantId }),
    event: { $in: event === null ? [...deliveredEventNames] : [event] },
    ...madeWithin('evt', wanted),
    // The event of the last delivery may have more.
    ...(after === null ? {} : { _id: { $lt: after } }),
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
    const own = found.webhookUids
      .filter((uid) => webhookUid === null || uid === webhookUid)
      .toSorted()
      .map((uid) => ({
        _id: pairOf({ eventId: found._id, webhookUid: uid }),
        event: found,
        webhookUid: uid,
      }))
      .filter(({ _id }) => after === null || _id < after);
    if (pairs.length > 0 && pairs.length + own.length > inFlightPairsMax) break;
    pairs.push(...own.toReversed());
  }
  return pairs;
}

async function readRecorded(
  store: Store,
  pairs: readonly InFlight[],
  snapshot: SnapshotRead,
): Promise<Set<string>> {
  const rows = store.deliveries.find(
    { _id: { $in: pairs.map(({ _id }) => _id) } },
    { projection: { _id: 1 }, ...snapshot },
  );
  return new Set(await rows.map(({ _id }) => _id).toArray());
}
