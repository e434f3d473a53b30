// The one place where a change becomes an event: both are committed together or not at all.
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

/** A change that happened: what, to which resource, and how the resource is after (or was before) it. */
export interface Change {
  /** Chosen beforehand by who has to name the event in the answer; made here otherwise. */
  eventId?: string;
  event: EventName;
  data: ResourceData;
}

/** What the writing of a change gives: the caller's answer, and the changes it made, maybe none. */
export interface Changed<T> {
  answer: T;
  changes: readonly Change[];
}

/**
 * Runs `write` in one transaction (w: majority, j: true) together with the events of the changes
 * it reports, and after the commit hands the events to the dispatcher without waiting for it. From
 * the commit on nothing can lose an event: what the dispatcher does not start, the relay does.
 * `write` runs again on a write conflict, so it must act through the session alone. With an
 * idempotency key a repeat gets the first answer and changes nothing.
 */
export async function recordChange<T>(
  context: ApiContext,
  { appUid, key }: { appUid: string; key: IdempotencyKey | null },
  write: (session: ClientSession, now: Date) => Promise<Changed<T>>,
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
 * Records the event of a change that was made elsewhere, and hands it to the dispatcher. The event
 * is all there is to write, so it needs no transaction of its own, and events that come at once are
 * written at once; only where a webhook gets them in order do number and event have to be committed
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
    // Side by side their transactions would conflict over the next number, and begin again and again.
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
  // Read in the transaction and never cached: a webhook registered a moment ago gets the next event.
  const wanted = { appUids: [appUid], entities };
  const subscriptions =
    entities.length === 0 ? [] : await findSubscriptions(context.store, wanted, session);
  const resources = changes.map(({ event, data }) => ({
    appUid,
    entity: entityOf(event),
    resourceUid: data.uid,
  }));
  const sequences = await countChanges(context.store, resources, session);
  // All ids in one go: ids made one after another sort in the order of the changes.
  const events = changes.map((change, index) => {
    const eventId = change.eventId ?? newId('evt', now);
    const subscribers = subscriptions.filter((webhook) => isSubscribed(webhook, factsOf(change)));
    // Several events of one change go together; one that nobody gets needs no workflow.
    const goesAlone = changes.length === 1 && subscribers.length > 0;
    const workflowId = goesAlone ? context.dispatcher.chooseWorkflow(eventId) : null;
    const sequence = sequences[index] ?? null;
    return makeEvent({ ...change, eventId }, { appUid, now, subscribers, workflowId, sequence });
  });
  const ordered = new Set(subscriptions.filter(isInOrder).map((webhook) => webhook._id));
  return withOrder(context, events, { ordered, now, session });
}

/** Gives events their numbers in the partitions of the webhooks that get them in order. */
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
  change: Change & { eventId: string },
  facts: Pick<EventDocument, 'appUid' | 'workflowId' | 'sequence'> & {
    now: Date;
    subscribers: readonly Pick<Subscription, '_id' | 'ordering'>[];
  },
): EventDocument {
  const { eventId } = change;
  const { appUid, now, subscribers, workflowId, sequence } = facts;
  const webhookUids = subscribers.map((webhook) => webhook._id);
  const body = renderPayload({
    eventId,
    event: change.event,
    timestamp: now,
    appUid,
    data: change.data,
  });
  if (Buffer.byteLength(body) > limits.payloadBytesMax) {
    throw new AppError(
      'payload_too_large',
      `the event's payload must be at most ${limits.payloadBytesMax} bytes`,
    );
  }
  return {
    _id: eventId,
    appUid,
    event: change.event,
    entity: entityOf(change.event),
    resourceUid: change.data.uid,
    externalTenantId: change.data.externalTenantId,
    sequence,
    order: [],
    timestamp: now,
    body,
    erasedAt: null,
    webhookUids,
    workflowId,
    // Without a subscriber there is nothing to start; the event is kept all the same.
    dispatchedAt: webhookUids.length === 0 ? now : null,
    createdAt: now,
  };
}
