import type { ClientSession } from 'mongodb';
import { streamLimits } from '../limits.ts';
import {
  type Entity,
  type SubscribedEventName,
  subscribedEventNames,
} from '../model/event-name.ts';
import type { EventDocument, EventFacts } from '../model/event.ts';
import { type Store } from '../mongo/connect.ts';
import { within } from '../mongo/transaction.ts';
import {
  madeWithin,
  type Page,
  type PageRequest,
  readPage,
  type Search,
  takeItems,
  type TimeRange,
} from '../mongo/paging.ts';
import { idAt } from '../platform/ids.ts';
import { factsOnly } from './events.ts';

/** The filters of a list of events; null means no filter. */
export interface WantedEvents extends TimeRange {
  appUid: string;
  event: SubscribedEventName | null;
  entity: Entity | null;
  resourceUid: string | null;
  externalTenantId: string | null;
}

/** Newest first, without payloads, and without tests of webhooks. */
export async function readEvents(
  store: Store,
  wanted: WantedEvents,
  request: PageRequest,
): Promise<Page<EventFacts>> {
  const search = searchOf(wanted);
  if (search === null) return { items: [], lastUid: null };
  const { filter, hint } = search;
  const options = { ...request, projection: factsOnly, hint };
  return readPage<EventDocument, EventFacts>(store.events, filter, options);
}

/** Reads a page of events with payloads, oldest first, between two uids. */
export async function readEventsForward(
  store: Store,
  wanted: WantedEvents,
  { after, before, session }: { after: string; before: string | null; session?: ClientSession },
): Promise<{ items: EventDocument[]; isCut: boolean }> {
  const search = searchOf(wanted);
  if (search === null) return { items: [], isCut: false };
  const { storedPageSizeMax: limit, storedPageBytesMax } = streamLimits;
  const between = { _id: { $gt: after, ...(before === null ? {} : { $lt: before }) } };
  const rows = store.events
    .find({ $and: [search.filter, between] }, { hint: search.hint, ...within(session) })
    .sort({ _id: 1 })
    .limit(limit + 1);
  return takeItems(rows, limit, storedPageBytesMax);
}

/** Returns the time before which every created event is committed by `at`. */
export function committedBefore(at: Date): Date {
  return new Date(at.getTime() - streamLimits.lateCommitMsMax);
}

/** Checks whether `readEvents` would find an event. */
export function isWanted(event: EventFacts, wanted: WantedEvents): boolean {
  const { resourceUid, externalTenantId, since, until } = wanted;
  return (
    event.appUid === wanted.appUid &&
    subscribedEventNames.some((name) => name === event.event && matchesName(name, wanted)) &&
    (resourceUid === null || event.resourceUid === resourceUid) &&
    (externalTenantId === null || event.externalTenantId === externalTenantId) &&
    (since === null || event._id >= idAt('evt', since)) &&
    (until === null || event._id < idAt('evt', until))
  );
}

/** Returns the query for events, or null if it can match none. It lists all values, like the query for deliveries. */
export function searchOf(wanted: WantedEvents): Search<EventDocument> | null {
  const { appUid, resourceUid, externalTenantId } = wanted;
  const names = subscribedEventNames.filter((name) => matchesName(name, wanted));
  if (names.length === 0) return null;
  const filter = {
    appUid,
    ...(resourceUid === null ? {} : { resourceUid }),
    ...(externalTenantId === null ? {} : { externalTenantId }),
    event: { $in: names },
    ...madeWithin('evt', wanted),
  };
  return { filter, hint: nameIndex(wanted) };
}

function nameIndex({ resourceUid, externalTenantId }: WantedEvents): string {
  if (resourceUid === null) return externalTenantId === null ? 'event' : 'tenant';
  return externalTenantId === null ? 'resource' : 'tenantResource';
}

function matchesName(name: SubscribedEventName, { event, entity }: WantedEvents): boolean {
  return (event === null || name === event) && (entity === null || name.startsWith(`${entity}.`));
}
