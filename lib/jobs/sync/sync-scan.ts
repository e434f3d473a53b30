// Finds the present state of resources for a sync: first of those stored here, then of those that are only reported.
import type { ClientSession } from 'mongodb';
import { inSlices } from '../../concurrency/in-slices.ts';
import { isOpen } from '../../model/delivery-state.ts';
import { type Entity, type EventName, eventNames } from '../../model/event-name.ts';
import type { ResourceData } from '../../model/event-payload.ts';
import type { SyncJob } from '../../model/job.ts';
import type { PartitionKey } from '../../model/partition.ts';
import type { Store } from '../../mongo/connect.ts';
import { within } from '../../mongo/transaction.ts';
import { type EventToMatch, filterCheck, isSubscribed } from '../../webhooks/subscriptions.ts';
import {
  type Chosen,
  type ChosenEvent,
  eventOnly,
  isFirstAttemptOverdue,
  keepMatching,
  type TargetWebhook,
  withDeliveries,
} from '../chosen-events.ts';
import { subjectCheck } from '../erasure/erasure-subject.ts';
import { readStored } from '../stored-resources.ts';

const storedPerReadMax = 1_000;
const uidsPerReadMax = 2_000;
const keysPerReadMax = 10_000;
// Each of them needs a query of its own.
const reportedPerReadMax = 200;
// Concurrent reports may have uids that do not sort like their numbers.
const latestReadMax = 10;

/** A resource of the service, or the latest event of a resource that is stored elsewhere. */
export type PresentState = { entity: Entity } & ({ data: ResourceData } | { reported: Chosen });

export interface SyncScan {
  found: PresentState[];
  checked: number;
  cursor: string;
  isEnd: boolean;
}

interface Scanning {
  sync: Pick<SyncJob, 'appUid' | 'entities' | 'externalTenantIds' | 'createdAt' | 'erasedSince'>;
  webhook: TargetWebhook;
  cursor: string;
  /** The maximum number of resources found. */
  countMax: number;
  session?: ClientSession;
}

interface Step {
  entity: Entity;
  after: string;
}

interface StepScan {
  found: PresentState[];
  checked: number;
  /** The last checked uid; null if the step is done. */
  last: string | null;
}

/** Checks the next resources, until one read was not enough: first all stored ones, then all reported ones. */
export async function scanResources(store: Store, scanning: Scanning): Promise<SyncScan> {
  const { cursor, countMax } = scanning;
  const { entities } = scanning.sync;
  const stepCount = 2 * entities.length;
  const slash = cursor.indexOf('/');
  let index = slash < 0 ? 0 : Number(cursor.slice(0, slash));
  let after = cursor.slice(slash + 1);
  const found: PresentState[] = [];
  let checked = 0;
  for (; index < stepCount && found.length < countMax; index += 1, after = '') {
    const scan = index < entities.length ? scanStored : scanReported;
    const step = { entity: entities[index % entities.length] as Entity, after };
    const next = await scan(store, { ...scanning, countMax: countMax - found.length }, step);
    found.push(...next.found);
    checked += next.checked;
    if (next.last !== null) {
      return { found, checked, cursor: `${index}/${next.last}`, isEnd: false };
    }
  }
  return { found, checked, cursor: `${index}/`, isEnd: index === stepCount };
}

async function scanStored(
  store: Store,
  { sync, webhook, countMax, session }: Scanning,
  { entity, after }: Step,
): Promise<StepScan> {
  const found: PresentState[] = [];
  let checked = 0;
  const isErased = subjectCheck(sync.erasedSince ?? []);
  const resources = readStored(store, { appUid: sync.appUid, entity, after }, session);
  for await (const data of inSlices(resources)) {
    checked += 1;
    const { uid: resourceUid, externalTenantId } = data;
    const facts = { event: `${entity}.updated` as const, resourceUid, externalTenantId };
    const isWanted = isFor(facts, { sync, webhook }) && filterCheck(data)(webhook.filter);
    if (isWanted && !isErased(data)) found.push({ entity, data });
    const isFull = found.length === countMax || checked === storedPerReadMax;
    if (isFull) return { found, checked, last: resourceUid };
  }
  return { found, checked, last: null };
}

function isFor(
  facts: EventToMatch,
  { sync: { externalTenantIds }, webhook }: Pick<Scanning, 'sync' | 'webhook'>,
): boolean {
  const isRequested = externalTenantIds?.includes(facts.externalTenantId) ?? true;
  return isRequested && isSubscribed(webhook, facts);
}

async function scanReported(
  store: Store,
  { sync, webhook, countMax, session }: Scanning,
  { entity, after }: Step,
): Promise<StepScan> {
  const { appUid } = sync;
  const { uids, isLast } = await readUids(store, { appUid, after }, session);
  const stored = await findStored(store, { appUid, entity, uids }, session);
  const latest: ChosenEvent[] = [];
  let last: string | null = null;
  let checked = 0;
  let reported = 0;
  for (const resourceUid of uids) {
    const isStored = stored.has(resourceUid);
    if (!isStored && (latest.length === countMax || reported === reportedPerReadMax)) break;
    checked += 1;
    last = resourceUid;
    if (isStored) continue;
    reported += 1;
    const facts = { appUid, entity, resourceUid, webhookUid: webhook._id };
    const event = await findLatest(store, facts, session);
    if (event !== null && isToSend(event, { sync, webhook })) latest.push(event);
  }
  const pairs = await withDeliveries(store, latest, { webhookUid: webhook._id, session });
  const settled = pairs.filter((each) => isSettled(each, { sync, webhook }));
  const kept = await keepMatching(store, settled, { filter: webhook.filter, session });
  return {
    found: kept.map((reported) => ({ entity, reported })),
    checked,
    last: isLast && checked === uids.length ? null : last,
  };
}

/** Returns the next uids that events name, each once. Reads only keys of the index. */
async function readUids(
  { events }: Store,
  { appUid, after }: { appUid: string; after: string },
  session: ClientSession | undefined,
): Promise<{ uids: string[]; isLast: boolean }> {
  const keys = await events
    .find(
      { appUid, resourceUid: { $gt: after } },
      { projection: { _id: 0, resourceUid: 1 }, hint: 'resource', ...within(session) },
    )
    .sort({ resourceUid: 1 })
    .limit(keysPerReadMax)
    .map(({ resourceUid }) => resourceUid)
    .toArray();
  const uids = [...new Set(keys)];
  const isLast = keys.length < keysPerReadMax && uids.length <= uidsPerReadMax;
  return { uids: uids.slice(0, uidsPerReadMax), isLast };
}

async function findStored(
  store: Store,
  { appUid, entity, uids }: { appUid: string; entity: Entity; uids: string[] },
  session: ClientSession | undefined,
): Promise<Set<string>> {
  // Callers choose the uids of reported resources, so another application may have stored one of them.
  const filter = { appUid, _id: { $in: uids } };
  const options = { projection: { _id: 1 }, hint: 'app', ...within(session) } as const;
  const found = {
    agent: () => store.agents.find(filter, options),
    context: () => store.contexts.find(filter, options),
    contextfile: () => store.contextFiles.find(filter, options),
  }[entity]();
  const ids = new Set<string>();
  for await (const { _id } of found) ids.add(_id);
  return ids;
}

async function findLatest(
  { events }: Store,
  { appUid, entity, resourceUid, webhookUid }: PartitionKey,
  session: ClientSession | undefined,
): Promise<ChosenEvent | null> {
  const names = eventNames.filter((name) => name.startsWith(`${entity}.`));
  const latest = await events
    .find<ChosenEvent>(
      { appUid, resourceUid, event: { $in: names } },
      { projection: eventOnly(webhookUid), hint: 'resource', ...within(session) },
    )
    .sort({ _id: -1 })
    .limit(latestReadMax)
    .toArray();
  const [highest] = latest.toSorted((a, b) => (b.sequence ?? 0) - (a.sequence ?? 0));
  return highest ?? null;
}

function isToSend(event: ChosenEvent, target: Pick<Scanning, 'sync' | 'webhook'>): boolean {
  const { resourceUid, externalTenantId, entity, erasedAt } = event;
  if (erasedAt !== null || event.event === `${entity}.deleted`) return false;
  // An event of a resource has no other name.
  const facts = { event: event.event as EventName, resourceUid, externalTenantId };
  return isFor(facts, target);
}

// An open delivery is left to its owner.
function isSettled(
  { event, delivery }: Chosen,
  { sync, webhook }: Pick<Scanning, 'sync' | 'webhook'>,
): boolean {
  if (delivery !== null) return !isOpen(delivery.state);
  return isFirstAttemptOverdue(event, { webhookUid: webhook._id, at: sync.createdAt });
}

export function addCounts(
  before: SyncJob['counts'],
  found: readonly { entity: Entity }[],
): SyncJob['counts'] {
  const counts = { ...before };
  for (const { entity } of found) counts[entity] += 1;
  return counts;
}
