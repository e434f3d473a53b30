// Finds the present state of resources for a sync: first of those stored here, then of those that are only reported.
import type { ClientSession } from 'mongodb';
import { inSlices } from '../concurrency/in-slices.ts';
import { pairOf } from '../model/delivery.ts';
import { isOpen } from '../model/delivery-state.ts';
import { type Entity, type EventName, eventNames } from '../model/event-name.ts';
import type { ResourceData } from '../model/event-payload.ts';
import type { SyncJob } from '../model/job.ts';
import { agentData, contextData, contextFileData } from '../model/resource-data.ts';
import { type Store } from '../mongo/connect.ts';
import { within } from '../mongo/transaction.ts';
import { filterCheck, isSubscribed } from '../webhooks/subscriptions.ts';
import {
  type ChosenEvent,
  eventOnly,
  isFirstAttemptOverdue,
  keepMatching,
  type TargetWebhook,
} from './chosen-events.ts';
import { subjectCheck } from './erasure-subject.ts';
import { type TakenDelivery, takenFields } from './taken-by-job.ts';

const storedPerReadMax = 1_000;
const uidsPerReadMax = 2_000;
const keysPerReadMax = 10_000;
// Each of them needs a query of its own.
const reportedPerReadMax = 200;
// Concurrent reports may have uids that do not sort like their numbers.
const latestReadMax = 10;

/** A resource of the service, or the latest event of a resource that is stored elsewhere. */
export type PresentState = { entity: Entity } & (
  { data: ResourceData } | { reported: ReportedState }
);

interface ReportedState {
  event: ChosenEvent;
  delivery: TakenDelivery | null;
}

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
  isReported: boolean;
  after: string;
}

interface StepScan {
  found: PresentState[];
  checked: number;
  /** The last checked uid; null if the step is done. */
  last: string | null;
}

/** Checks the next resources, until one read was not enough. */
export async function scanResources(store: Store, scanning: Scanning): Promise<SyncScan> {
  const { sync, cursor, countMax } = scanning;
  const steps = stepsOf(sync.entities);
  const slash = cursor.indexOf('/');
  let index = slash < 0 ? 0 : Number(cursor.slice(0, slash));
  let after = cursor.slice(slash + 1);
  const found: PresentState[] = [];
  let checked = 0;
  for (; index < steps.length && found.length < countMax; index += 1, after = '') {
    const step = { ...(steps[index] as Omit<Step, 'after'>), after };
    const scan = step.isReported ? scanReported : scanStored;
    const next = await scan(store, { ...scanning, countMax: countMax - found.length }, step);
    found.push(...next.found);
    checked += next.checked;
    if (next.last !== null) {
      return { found, checked, cursor: `${index}/${next.last}`, isEnd: false };
    }
  }
  return { found, checked, cursor: `${index}/`, isEnd: index === steps.length };
}

function stepsOf(entities: readonly Entity[]): Omit<Step, 'after'>[] {
  return [false, true].flatMap((isReported) => entities.map((entity) => ({ entity, isReported })));
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
    const isWanted = isRequested(sync, externalTenantId) && isSubscribed(webhook, facts);
    if (isWanted && !isErased(data) && filterCheck(data)(webhook.filter))
      found.push({ entity, data });
    const isFull = found.length === countMax || checked === storedPerReadMax;
    if (isFull) return { found, checked, last: resourceUid };
  }
  return { found, checked, last: null };
}

/** Reads the resources of an entity that are stored here. */
export function readStored(
  store: Store,
  { appUid, entity, after }: Omit<Step, 'isReported'> & { appUid: string },
  session?: ClientSession,
): AsyncIterable<ResourceData> {
  const filter = { appUid, _id: { $gt: after } };
  // Small batches, because a page rarely sends more.
  const options = { sort: { _id: 1 }, hint: 'app', batchSize: 100, ...within(session) } as const;
  if (entity === 'agent') return store.agents.find(filter, options).map(agentData);
  if (entity === 'context') return store.contexts.find(filter, options).map(contextData);
  return store.contextFiles.find(filter, options).map(contextFileData);
}

function isRequested(
  { externalTenantIds }: Pick<SyncJob, 'externalTenantIds'>,
  externalTenantId: string,
): boolean {
  return externalTenantIds === null || externalTenantIds.includes(externalTenantId);
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
  const unsent = await keepUnsent(store, latest, { sync, webhook, session });
  const kept = await keepMatching(store, unsent, { filter: webhook.filter, session });
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
  {
    appUid,
    entity,
    resourceUid,
    webhookUid,
  }: { appUid: string; entity: Entity; resourceUid: string; webhookUid: string },
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

function isToSend(
  event: ChosenEvent,
  { sync, webhook }: Pick<Scanning, 'sync' | 'webhook'>,
): boolean {
  const { resourceUid, externalTenantId, entity, erasedAt } = event;
  if (erasedAt !== null || event.event === `${entity}.deleted`) return false;
  // An event of a resource has no other name.
  const facts = { event: event.event as EventName, resourceUid, externalTenantId };
  return isRequested(sync, externalTenantId) && isSubscribed(webhook, facts);
}

/** Leaves out the events whose delivery is still to be made by its owner. */
async function keepUnsent(
  { deliveries }: Store,
  latest: readonly ChosenEvent[],
  {
    sync,
    webhook,
    session,
  }: Pick<Scanning, 'sync' | 'webhook'> & { session: ClientSession | undefined },
): Promise<ReportedState[]> {
  if (latest.length === 0) return [];
  const webhookUid = webhook._id;
  const ids = latest.map(({ _id: eventId }) => pairOf({ eventId, webhookUid }));
  const found = await deliveries
    .find<TakenDelivery>({ _id: { $in: ids } }, { projection: takenFields, ...within(session) })
    .toArray();
  const byEvent = new Map(found.map((delivery) => [delivery.eventId, delivery]));
  return latest.flatMap((event) => {
    const delivery = byEvent.get(event._id) ?? null;
    const isSettled =
      delivery === null
        ? isFirstAttemptOverdue(event, { webhookUid, at: sync.createdAt })
        : !isOpen(delivery.state);
    return isSettled ? [{ event, delivery }] : [];
  });
}
