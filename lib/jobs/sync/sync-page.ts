import type { Entity } from '../../model/event-name.ts';
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
  const { webhookUid, cursor, createdAt, perSecond } = sync;
  const { now, session } = context;
  // A change that read the webhooks before this one was registered may still be about to commit. Later ones reach it.
  const waitMs = createdAt.getTime() + eventWrittenMsMax - now.getTime();
  if (waitMs > 0) return { isEnd: false, waitMs };
  const found = await findTargets(store, { ...sync, webhookUids: [webhookUid] }, session);
  const webhook = found.get(webhookUid);
  if (webhook === undefined) return { isEnd: true };
  const scanning = { sync, webhook, cursor, countMax: perSecond, session };
  const scan = await scanResources(store, scanning);
  const chosen = await toEvents(store, { sync, webhook, found: scan.found }, context);
  const partitions = await requeueChosen(store, { job: sync, webhook, chosen }, context);
  const progress = { counts: addCounts(sync.counts, scan.found) };
  return { cursor: scan.cursor, count: chosen.length, isEnd: scan.isEnd, partitions, progress };
}

/** Returns the events to send. Those of resources stored here are made now, with the number of their latest change. */
async function toEvents(
  store: Store,
  { sync, webhook, found }: { sync: SyncJob; webhook: TargetWebhook; found: PresentState[] },
  { page, now, session }: PageContext,
) {
  const workflowId = jobPageWorkflowId(sync._id, page);
  const ofPage = { syncUid: sync._id, workflowId, dispatchedAt: now };
  const made = found.flatMap((state): EventDocument[] =>
    'data' in state ? [{ ...makeEvent(sync, { ...state, webhook }, now), ...ofPage }] : [],
  );
  // In the transaction that read the resources, so that a number and its state belong together.
  const numbers = await store.sequences
    .find({ _id: { $in: made.map(sequenceId) } }, { projection: { last: 1 }, session })
    .toArray();
  const lasts = new Map(numbers.map(({ _id, last }) => [_id, last]));
  for (const event of made) {
    const last = lasts.get(sequenceId(event));
    if (last !== undefined) setSequence(event, last);
  }
  if (made.length > 0) await store.events.insertMany(made, { session });
  const reported = found.flatMap((state) => ('data' in state ? [] : [state.reported]));
  return [...made.map((event) => ({ event, delivery: null })), ...reported];
}

function makeEvent(
  { appUid }: SyncJob,
  { entity, data, webhook }: { entity: Entity; data: ResourceData; webhook: TargetWebhook },
  now: Date,
): EventDocument {
  const eventId = newId('evt', now);
  const event = `${entity}.updated` as const;
  const { uid: resourceUid, externalTenantId } = data;
  const body = renderPayload({ eventId, event, timestamp: now, appUid, data });
  const facts = { _id: eventId, appUid, event, entity, resourceUid, externalTenantId, body };
  return newEvent({ ...facts, ...recipientFields([webhook]) }, now);
}
