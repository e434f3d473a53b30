// Commits a change together with its event, or neither.
import type { ClientSession } from 'mongodb';
import { AppError } from '../../lib/platform/errors.ts';
import { newId } from '../../lib/platform/ids.ts';
import { limits } from '../../lib/limits.ts';
import { entityOf, type EventName } from '../../lib/model/event-name.ts';
import { renderPayload, type ResourceData } from '../../lib/model/event-payload.ts';
import type { EventDocument } from '../../lib/model/event.ts';
import type { IdempotencyKey } from '../../lib/model/idempotency.ts';
import type { Subscription } from '../../lib/model/webhook.ts';
import { runOnce } from '../../lib/mongo/idempotency.ts';
import { issueNumbers } from '../../lib/deliveries/partitions.ts';
import { countChanges } from '../../lib/mongo/sequences.ts';
import { findSubscriptions, isSubscribed } from '../../lib/webhooks/webhooks.ts';
import type { ApiContext } from '../context.ts';

export interface Change {
  /** Given where the answer names the event; made here otherwise. */
  eventId?: string;
  event: EventName;
  /** The resource after the change, or before its deletion. */
  data: ResourceData;
}

/**
 * Runs `write` in one transaction (w: majority, j: true) with the events of the changes it returns, then
 * dispatches them; the relay starts what the dispatcher does not. `write` runs again on a write conflict,
 * so it must act through the session alone. A repeat of an idempotency key gets the first answer.
 */
export async function recordChange<T>(
  context: ApiContext,
  { appUid, key }: { appUid: string; key: IdempotencyKey | null },
  write: (session: ClientSession, now: Date) => Promise<{ answer: T; changes: readonly Change[] }>,
): Promise<T> {
  const { store, secretBox } = context;
  const now = context.clock.now();
  let events: EventDocument[] = [];
  const { answer, repeated } = await runOnce(store, { key, secretBox, now }, async (session) => {
    const changed = await write(session, now);
    events = await makeEvents({ context, session, now, appUid }, changed.changes);
    if (events.length > 0) await store.events.insertMany(events, { session });
    return changed.answer;
  });
  if (!repeated) context.dispatcher.dispatch(events);
  return answer;
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
  const subscribers = await context.eventWriter.findSubscribers({ appUid, ...factsOf(change) });
  if (subscribers.some(isInOrder)) {
    const changed = { answer: undefined, changes: [change] };
    const resource = `${appUid}/${entityOf(change.event)}/${change.data.uid}`;
    // Concurrent transactions would conflict over the next number, and repeat.
    return context.orderedReports.run(resource, () =>
      recordChange(context, { appUid, key: null }, async () => changed),
    );
  }
  const now = context.clock.now();
  const workflowId =
    subscribers.length === 0 ? null : context.dispatcher.chooseWorkflow(change.eventId);
  const event = makeEvent(change, { appUid, now, subscribers, workflowId, sequence: null });
  await context.eventWriter.insert(event);
  context.dispatcher.dispatch([event]);
}

interface EventMaking {
  context: ApiContext;
  session: ClientSession;
  now: Date;
  appUid: string;
}

async function makeEvents(
  { context, session, now, appUid }: EventMaking,
  changes: readonly Change[],
): Promise<EventDocument[]> {
  const entities = [...new Set(changes.map((change) => entityOf(change.event)))];
  // Never cached: a webhook registered a moment ago gets the next event.
  const wanted = { appUids: [appUid], entities };
  const subscriptions =
    entities.length === 0 ? [] : await findSubscriptions(context.store, wanted, session);
  const resources = changes.map(({ event, data }) => ({
    appUid,
    entity: entityOf(event),
    resourceUid: data.uid,
  }));
  const sequences = await countChanges(context.store, resources, session);
  // Synchronously: ids made one after another sort in the order of the changes.
  const events = changes.map((change, index) => {
    const eventId = change.eventId ?? newId('evt', now);
    const subscribers = subscriptions.filter((webhook) => isSubscribed(webhook, factsOf(change)));
    // Several events of one change share a workflow; one that nobody gets needs none.
    const goesAlone = changes.length === 1 && subscribers.length > 0;
    const workflowId = goesAlone ? context.dispatcher.chooseWorkflow(eventId) : null;
    const sequence = sequences[index] ?? null;
    return makeEvent({ ...change, eventId }, { appUid, now, subscribers, workflowId, sequence });
  });
  const ordered = new Set(subscriptions.filter(isInOrder).map((webhook) => webhook._id));
  return withOrder(context, events, { ordered, now, session });
}

// Issues the turn numbers of the events in their partitions.
async function withOrder(
  { store }: Pick<ApiContext, 'store'>,
  events: readonly EventDocument[],
  { ordered, now, session }: Pick<EventMaking, 'now' | 'session'> & { ordered: Set<string> },
): Promise<EventDocument[]> {
  const places = events.flatMap(({ _id: eventId, appUid, entity, resourceUid, webhookUids }) =>
    webhookUids
      .filter((webhookUid) => ordered.has(webhookUid))
      .map((webhookUid) => ({ eventId, partition: { appUid, webhookUid, entity, resourceUid } })),
  );
  const partitions = places.map(({ partition }) => partition);
  const numbers = await issueNumbers(store, partitions, { now, session });
  const orders = new Map<string, EventDocument['order']>();
  for (const [index, { eventId, partition }] of places.entries()) {
    const place = { webhookUid: partition.webhookUid, n: numbers[index] ?? 0 };
    orders.set(eventId, [...(orders.get(eventId) ?? []), place]);
  }
  return events.map((event) => ({ ...event, order: orders.get(event._id) ?? [] }));
}

function factsOf({ event, data }: Change): { event: EventName; externalTenantId: string } {
  return { event, externalTenantId: data.externalTenantId };
}

function isInOrder({ ordering }: Pick<Subscription, 'ordering'>): boolean {
  return ordering === 'resource';
}

function makeEvent(
  { eventId, event, data }: Change & { eventId: string },
  facts: Pick<EventDocument, 'appUid' | 'workflowId' | 'sequence'> & {
    now: Date;
    subscribers: readonly Pick<Subscription, '_id'>[];
  },
): EventDocument {
  const { appUid, now, subscribers, workflowId, sequence } = facts;
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
    createdAt: now,
  };
}
