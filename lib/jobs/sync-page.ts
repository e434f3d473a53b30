import type { ClientSession } from 'mongodb';
import { jobLimits } from '../limits.ts';
import type { DeliveryPorts } from '../deliveries/ports.ts';
import { type Entity, entities } from '../model/event-name.ts';
import { renderPayload, type ResourceData } from '../model/event-payload.ts';
import { type EventDocument, newEvent, recipientFields, setSequence } from '../model/event.ts';
import type { SyncJob } from '../model/job.ts';
import { type Store } from '../mongo/connect.ts';
import { sequenceId } from '../mongo/sequences.ts';
import { newId } from '../platform/ids.ts';
import { jobPageWorkflowId } from '../temporal/names.ts';
import { eventWrittenMsMax, findTargets, type TargetWebhook } from './chosen-events.ts';
import type { PageContext, TakenPage } from './jobs.ts';
import { requeueChosen } from './requeue-chosen.ts';
import { type PresentState, scanResources } from './sync-scan.ts';

const { countedDeliveriesMax: countedMax, countedEventsMax: checkedMax, countingMsMax } = jobLimits;

/** Sends the present state of the next resources, at most `perSecond`. */
export async function takeSyncPage(
  { store }: Pick<DeliveryPorts, 'store'>,
  sync: SyncJob,
  context: PageContext,
): Promise<TakenPage> {
  const { cursor, createdAt, perSecond } = sync;
  const { now, session } = context;
  const nothing = { cursor, count: 0, partitions: [] };
  // A change that read the webhooks before this one was registered may still be about to commit. Later ones reach it.
  const waitMs = createdAt.getTime() + eventWrittenMsMax - now.getTime();
  if (waitMs > 0) return { ...nothing, isEnd: false, waitMs };
  const webhook = await findTarget(store, sync, session);
  if (webhook === undefined) return { ...nothing, isEnd: true };
  const scanning = { sync, webhook, cursor, countMax: perSecond, session };
  const { found, cursor: reached, isEnd } = await scanResources(store, scanning);
  const chosen = await toEvents(store, { sync, webhook, found }, context);
  const partitions = await requeueChosen(store, { job: sync, webhook, chosen }, context);
  const progress = { counts: addCounts(sync.counts, found) };
  return { cursor: reached, count: found.length, isEnd, partitions, progress };
}

async function findTarget(
  store: Store,
  { appUid, webhookUid }: SyncJob,
  session?: ClientSession,
): Promise<TargetWebhook | undefined> {
  const found = await findTargets(store, { appUid, webhookUids: [webhookUid] }, session);
  return found.get(webhookUid);
}

type StoredState = Extract<PresentState, { data: ResourceData }>;

/** Returns the events to send. Those of resources stored here are made now, with the number of their latest change. */
async function toEvents(
  store: Store,
  {
    sync,
    webhook,
    found,
  }: { sync: SyncJob; webhook: TargetWebhook; found: readonly PresentState[] },
  { page, now, session }: PageContext,
) {
  const stored = found.filter((state): state is StoredState => 'data' in state);
  const lasts = await readSequences(store, { appUid: sync.appUid, stored }, session);
  const ofPage = { syncUid: sync._id, workflowId: jobPageWorkflowId(sync._id, page) };
  const made = stored.map((state): EventDocument => {
    const event = makeEvent(sync, state, now);
    const last = lasts.get(state.data.uid);
    if (last !== undefined) setSequence(event, last);
    return { ...event, ...recipientFields([webhook]), ...ofPage, dispatchedAt: now };
  });
  if (made.length > 0) await store.events.insertMany(made, { session });
  const reported = found.flatMap((state) => ('data' in state ? [] : [state.reported]));
  return [...made.map((event) => ({ event, delivery: null })), ...reported];
}

function makeEvent({ appUid }: SyncJob, { entity, data }: StoredState, now: Date): EventDocument {
  const eventId = newId('evt', now);
  const event = `${entity}.updated` as const;
  const { uid: resourceUid, externalTenantId } = data;
  const body = renderPayload({ eventId, event, timestamp: now, appUid, data });
  const facts = { _id: eventId, appUid, event, entity, resourceUid, externalTenantId, body };
  return newEvent({ ...facts, webhookUids: [] }, now);
}

// In the transaction that read the resources, so that a number and its state belong together.
async function readSequences(
  { sequences }: Store,
  { appUid, stored }: { appUid: string; stored: readonly StoredState[] },
  session: ClientSession,
): Promise<Map<string, number>> {
  const uidOf = new Map(
    stored.map(({ entity, data: { uid } }) => [
      sequenceId({ appUid, entity, resourceUid: uid }),
      uid,
    ]),
  );
  const found = await sequences
    .find({ _id: { $in: [...uidOf.keys()] } }, { projection: { last: 1 }, session })
    .toArray();
  return new Map(found.map(({ _id, last }) => [uidOf.get(_id) ?? '', last]));
}

export const noCounts = Object.fromEntries(
  entities.map((entity) => [entity, 0]),
) as SyncJob['counts'];

function addCounts(
  before: SyncJob['counts'],
  found: readonly { entity: Entity }[],
): SyncJob['counts'] {
  const counts = { ...before };
  for (const { entity } of found) counts[entity] += 1;
  return counts;
}

interface CountedSync extends Pick<SyncJob, 'counts' | 'count'> {
  countIsCapped: boolean;
}

/** Counts what a sync would send now: up to 10,000 deliveries among 100,000 resources, for at most 5 s. */
export async function countSync(store: Store, sync: SyncJob): Promise<CountedSync> {
  const counted: CountedSync = { count: 0, countIsCapped: false, counts: noCounts };
  const webhook = await findTarget(store, sync);
  if (webhook === undefined) return counted;
  const untilMs = performance.now() + countingMsMax;
  let checked = 0;
  for (let cursor = '', isEnd = false; !isEnd;) {
    const countMax = countedMax - counted.count;
    if (countMax === 0 || checked >= checkedMax || performance.now() > untilMs) {
      return { ...counted, countIsCapped: true };
    }
    const scan = await scanResources(store, { sync, webhook, cursor, countMax });
    counted.count += scan.found.length;
    counted.counts = addCounts(counted.counts, scan.found);
    checked += scan.checked;
    ({ cursor, isEnd } = scan);
  }
  return counted;
}
