import type { ClientSession } from 'mongodb';
import { renderPayload, type ResourceData } from '../../model/event-payload.ts';
import { type EventDocument, newEvent, recipientFields, setSequence } from '../../model/event.ts';
import type { SyncJob } from '../../model/job.ts';
import type { Store } from '../../mongo/connect.ts';
import { sequenceId } from '../../mongo/sequences.ts';
import { newId } from '../../platform/ids.ts';
import { jobPageWorkflowId } from '../../temporal/names.ts';
import { eventWrittenMsMax, findTargets, type TargetWebhook } from '../chosen-events.ts';
import type { PageContext, TakenPage } from '../page.ts';
import { requeueChosen } from '../requeue.ts';
import { addCounts, type PresentState, scanResources } from './sync-scan.ts';

/** Sends the present state of the next resources, at most `perSecond`. */
export async function takeSyncPage(
  store: Store,
  sync: SyncJob,
  context: PageContext,
): Promise<TakenPage> {
  const { appUid, webhookUid, cursor, createdAt, perSecond } = sync;
  const { now, session } = context;
  // A change that read the webhooks before this one was registered may still be about to commit. Later ones reach it.
  const waitMs = createdAt.getTime() + eventWrittenMsMax - now.getTime();
  if (waitMs > 0) return { isEnd: false, waitMs };
  const found = await findTargets(store, { appUid, webhookUids: [webhookUid] }, session);
  const webhook = found.get(webhookUid);
  if (webhook === undefined) return { isEnd: true };
  const scanning = { sync, webhook, cursor, countMax: perSecond, session };
  const scan = await scanResources(store, scanning);
  const chosen = await toEvents(store, { sync, webhook, found: scan.found }, context);
  const partitions = await requeueChosen(store, { job: sync, webhook, chosen }, context);
  const progress = { counts: addCounts(sync.counts, scan.found) };
  return { cursor: scan.cursor, count: chosen.length, isEnd: scan.isEnd, partitions, progress };
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
