// Commits a change together with its event, or neither.
import type { ClientSession } from 'mongodb';
import { AppError } from '../../lib/platform/errors.ts';
import { newId } from '../../lib/platform/ids.ts';
import { limits } from '../../lib/limits.ts';
import { type Entity, entityOf, type EventName } from '../../lib/model/event-name.ts';
import { renderPayload, type ResourceData } from '../../lib/model/event-payload.ts';
import type { EventDocument } from '../../lib/model/event.ts';
import type { IdempotencyKey } from '../../lib/model/idempotency.ts';
import type { WebhookDocument } from '../../lib/model/webhook.ts';
import { runOnce } from '../../lib/mongo/idempotency.ts';
import { issueNumbers } from '../../lib/deliveries/partitions.ts';
import { countChanges } from '../../lib/mongo/sequences.ts';
import { isSubscribed } from '../../lib/webhooks/webhooks.ts';
import type { ApiContext } from '../context.ts';

export interface Change {
  /** Given where the answer names the event; made here otherwise. */
  eventId?: string;
  event: EventName;
  /** The resource after the change, or before its deletion. */
  data: ResourceData;
}

interface Recorded {
  event: EventDocument;
  subscribers: readonly WebhookDocument[];
}

/**
 * Runs `write` in one transaction (w: majority, j: true) with the events of the changes it returns, then
 * dispatches them; the relay starts what the dispatcher does not. `write` runs again on a write conflict,
 * so it must act through the session alone, and change nothing but `entities`. A repeat of an idempotency key gets
 * the first answer.
 */
export async function recordChange<T>(
  context: ApiContext,
  recording: { appUid: string; key: IdempotencyKey | null; entities: readonly Entity[] },
  write: (session: ClientSession, now: Date) => Promise<{ answer: T; changes: readonly Change[] }>,
): Promise<T> {
  const { store, secretBox } = context;
  const { appUid, key, entities } = recording;
  const now = context.clock.now();
  // Not in the transaction, so that concurrent changes share a read; a webhook registered before gets the event.
  const reading = context.eventWriter.findWebhooks({ appUid, entities });
  reading.catch(() => undefined);
  let recorded: Recorded[] = [];
  const { answer, repeated } = await runOnce(store, { key, secretBox, now }, async (session) => {
    const changed = await write(session, now);
    const making = { context, session, now, appUid, webhooks: await reading };
    recorded = await makeEvents(making, changed.changes);
    const events = recorded.map(({ event }) => event);
    if (events.length > 0) await store.events.insertMany(events, { session });
    return changed.answer;
  });
  if (!repeated) dispatch(context, recorded);
  return answer;
}

/** Makes the first attempts of committed events, and starts their workflows, both in the background. */
export function dispatch(
  { headStart, dispatcher }: Pick<ApiContext, 'headStart' | 'dispatcher'>,
  recorded: readonly Recorded[],
): void {
  for (const { event, subscribers } of recorded) headStart?.begin(event, subscribers);
  dispatcher.dispatch(recorded.map(({ event }) => event));
}

/**
 * Records and dispatches the event of a change that was made elsewhere. Concurrent ones are written
 * together, without a transaction, unless an ordered webhook needs turn number and event to be committed
 * together. Throws `payload_too_large`.
 */
export async function recordReport(
  context: ApiContext,
  appUid: string,
  change: Change & { eventId: string },
): Promise<void> {
  const entities = [entityOf(change.event)];
  const now = context.clock.now();
  const webhooks = await context.eventWriter.findWebhooks({ appUid, entities });
  const subscribers = subscribersOf(webhooks, change);
  if (subscribers.some(isInOrder)) {
    const changed = { answer: undefined, changes: [change] };
    const resource = `${appUid}/${entityOf(change.event)}/${change.data.uid}`;
    // Concurrent transactions would conflict over the next number, and repeat.
    return context.orderedReports.run(resource, () =>
      recordChange(context, { appUid, key: null, entities }, async () => changed),
    );
  }
  const workflowId =
    subscribers.length === 0 ? null : context.dispatcher.chooseWorkflow(change.eventId);
  const headStart = context.headStart?.claim(now) ?? null;
  const facts = { appUid, now, subscribers, workflowId, headStart, sequence: null };
  const event = await context.eventWriter.insert(makeEvent(change, facts));
  dispatch(context, [{ event, subscribers }]);
}

interface EventMaking {
  context: ApiContext;
  session: ClientSession;
  now: Date;
  appUid: string;
  webhooks: readonly WebhookDocument[];
}

async function makeEvents(
  { context, session, now, appUid, webhooks }: EventMaking,
  changes: readonly Change[],
): Promise<Recorded[]> {
  const resources = changes.map(({ event, data }) => ({
    appUid,
    entity: entityOf(event),
    resourceUid: data.uid,
  }));
  const sequences = await countChanges(context.store, resources, session);
  // Synchronously: ids made one after another sort in the order of the changes.
  const headStart = context.headStart?.claim(now) ?? null;
  const recorded = changes.map((change, index) => {
    const eventId = change.eventId ?? newId('evt', now);
    const subscribers = subscribersOf(webhooks, change);
    // Several events of one change share a workflow; one that nobody gets needs none.
    const goesAlone = changes.length === 1 && subscribers.length > 0;
    const workflowId = goesAlone ? context.dispatcher.chooseWorkflow(eventId) : null;
    const sequence = sequences[index] ?? null;
    const facts = { appUid, now, subscribers, workflowId, headStart, sequence };
    return { event: makeEvent({ ...change, eventId }, facts), subscribers };
  });
  await giveTurns(context, recorded, { now, session });
  return recorded;
}

// Writes into the events their turn numbers in their partitions.
async function giveTurns(
  { store }: Pick<ApiContext, 'store'>,
  recorded: readonly Recorded[],
  { now, session }: Pick<EventMaking, 'now' | 'session'>,
): Promise<void> {
  const places = recorded.flatMap(({ event, subscribers }) =>
    subscribers.filter(isInOrder).map(({ _id: webhookUid }) => ({ event, webhookUid })),
  );
  const partitions = places.map(({ event: { appUid, entity, resourceUid }, webhookUid }) => ({
    appUid,
    webhookUid,
    entity,
    resourceUid,
  }));
  const numbers = await issueNumbers(store, partitions, { now, session });
  for (const [index, { event, webhookUid }] of places.entries()) {
    event.order.push({ webhookUid, n: numbers[index] ?? 0 });
  }
}

function subscribersOf(webhooks: readonly WebhookDocument[], change: Change): WebhookDocument[] {
  return webhooks.filter((webhook) => isSubscribed(webhook, factsOf(change)));
}

function factsOf({ event, data }: Change): { event: EventName; externalTenantId: string } {
  return { event, externalTenantId: data.externalTenantId };
}

function isInOrder({ ordering }: WebhookDocument): boolean {
  return ordering === 'resource';
}

function makeEvent(
  { eventId, event, data }: Change & { eventId: string },
  facts: Pick<EventDocument, 'appUid' | 'workflowId' | 'headStart' | 'sequence'> & {
    now: Date;
    subscribers: readonly WebhookDocument[];
  },
): EventDocument {
  const { appUid, now, subscribers, workflowId, headStart, sequence } = facts;
  const webhookUids = subscribers.map((webhook) => webhook._id);
  const body = renderPayload({ eventId, event, timestamp: now, appUid, data });
  if (Buffer.byteLength(body) > limits.payloadBytesMax) {
    const detail = `the event's payload must be at most ${limits.payloadBytesMax} bytes`;
    throw new AppError('payload_too_large', detail);
  }
  return {
    _id: eventId,
    appUid,
    event,
    entity: entityOf(event),
    resourceUid: data.uid,
    externalTenantId: data.externalTenantId,
    sequence,
    order: [],
    timestamp: now,
    body,
    erasedAt: null,
    webhookUids,
    workflowId,
    // Without a subscriber there is nothing to dispatch; the event is stored anyway.
    dispatchedAt: webhookUids.length === 0 ? now : null,
    headStart,
    createdAt: now,
  };
}
