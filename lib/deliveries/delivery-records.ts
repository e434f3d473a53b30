import type { ClientSession, Filter } from 'mongodb';
import { timeOfId } from '../platform/ids.ts';
import { limits } from '../limits.ts';
import { type Attempt, statusClassOf } from '../model/attempt.ts';
import { isOpen } from '../model/delivery-state.ts';
import {
  type DeliveryDocument,
  type DeliveryKey,
  type DeliveryStep,
  type DeliveryToAttempt,
  deliveryToAttempt,
  pairOf,
} from '../model/delivery.ts';
import { within, readProven } from '../mongo/transaction.ts';
import { duplicateIndexes } from '../mongo/write-errors.ts';
import { coalesce } from '../concurrency/coalesce.ts';
import type { EventToAttempt } from '../model/event.ts';
import type { WebhookDocument } from '../model/webhook.ts';
import type { Store } from '../mongo/connect.ts';
import { type AwaitSlot, createRateLimiter } from '../rate-limit/rate-limiter.ts';
import { findBodies, findEventsToAttempt } from '../events/events.ts';
import type { TriggerRecorder } from '../webhooks/trigger-recorder.ts';
import { findWebhooksToDeliver } from '../webhooks/webhooks.ts';

/** The documents behind a decision about a delivery; null if they do not exist. */
export interface DeliveryFacts {
  delivery: DeliveryToAttempt | null;
  event: EventToAttempt | null;
  webhook: WebhookDocument | null;
}

/** The reads and writes of attempts, batched over the concurrent attempts of a process. */
export interface DeliveryRecords {
  readDelivery(key: DeliveryKey): Promise<DeliveryToAttempt | null>;
  readEvent(key: DeliveryKey): Promise<EventToAttempt | null>;
  /** Returns null if the event was removed or erased since it was read. */
  readBody(eventId: string): Promise<string | null>;
  /** Read for each attempt, so that a pause, a new URL or a new secret applies to the next one. */
  readWebhook(key: DeliveryKey): Promise<WebhookDocument | null>;
  /** Reads all three again and misses no acknowledged write: see `readProven`. */
  readProven(key: DeliveryKey): Promise<DeliveryFacts>;
  awaitSlot: AwaitSlot;
  record(key: DeliveryKey, step: DeliveryStep): Promise<boolean>;
  recordTriggered(webhookUid: string, at: Date): void;
}

const reads = { itemsPerCallMax: 200, concurrentCallsMax: 8 };
// Bodies have up to 256 KiB.
const bodyReads = { itemsPerCallMax: 20, concurrentCallsMax: 8 };
// One call at a time, as the disk writes many documents in the time of one; a timeout may cause a second send.
const writes = { itemsPerCallMax: 200, concurrentCallsMax: 1, lingerMs: 10, callTimeoutMs: 10_000 };

export function createDeliveryRecords(store: Store, triggers: TriggerRecorder): DeliveryRecords {
  const insert = coalesce(writes, (steps: readonly [DeliveryKey, DeliveryStep][]) =>
    insertDeliveries(store, steps),
  );
  return {
    readDelivery: coalesce(reads, (keys: readonly DeliveryKey[]) => findDeliveries(store, keys)),
    readEvent: coalesce(reads, (keys: readonly DeliveryKey[]) => findEvents(store, keys)),
    readBody: coalesce(bodyReads, async (eventIds: readonly string[]) => {
      const bodies = await findBodies(store, [...new Set(eventIds)]);
      return eventIds.map((eventId) => bodies.get(eventId) ?? null);
    }),
    readWebhook: coalesce(reads, (keys: readonly DeliveryKey[]) => findWebhooks(store, keys)),
    readProven: coalesce(reads, (keys: readonly DeliveryKey[]) =>
      readProven(store, (session) => findFacts(store, keys, session)),
    ),
    awaitSlot: createRateLimiter(store),
    async record(key, step) {
      // Nearly every step is the first of its delivery, and only inserts can be batched.
      if (step.isFirst && (await insert([key, step]))) return true;
      return recordDelivery(store, key, step);
    },
    recordTriggered: (webhookUid, at) => triggers.record(webhookUid, at),
  };
}

async function findEvents(
  store: Store,
  keys: readonly DeliveryKey[],
  session?: ClientSession,
): Promise<(EventToAttempt | null)[]> {
  const ids = [...new Set(keys.map((key) => key.eventId))];
  return pick(keys, 'eventId', await findEventsToAttempt(store, ids, session));
}

async function findWebhooks(
  store: Store,
  keys: readonly DeliveryKey[],
  session?: ClientSession,
): Promise<(WebhookDocument | null)[]> {
  const ids = [...new Set(keys.map((key) => key.webhookUid))];
  return pick(keys, 'webhookUid', await findWebhooksToDeliver(store, ids, session));
}

async function findFacts(
  store: Store,
  keys: readonly DeliveryKey[],
  session: ClientSession,
): Promise<DeliveryFacts[]> {
  // A session allows only one operation at a time.
  const deliveries = await findDeliveries(store, keys, session);
  const events = await findEvents(store, keys, session);
  const webhooks = await findWebhooks(store, keys, session);
  return keys.map((_key, index) => ({
    delivery: deliveries[index] ?? null,
    event: events[index] ?? null,
    webhook: webhooks[index] ?? null,
  }));
}

function pick<Document extends { _id: string; appUid: string }>(
  keys: readonly DeliveryKey[],
  uid: 'eventId' | 'webhookUid',
  found: readonly Document[],
): (Document | null)[] {
  const documents = new Map(found.map((document) => [document._id, document]));
  return keys.map((key) => {
    const document = documents.get(key[uid]);
    return document?.appUid === key.appUid ? document : null;
  });
}

/** Reads deliveries for attempts, in the order of the keys; null for a delivery that does not exist yet. */
export async function findDeliveries(
  store: Store,
  keys: readonly DeliveryKey[],
  session?: ClientSession,
): Promise<(DeliveryToAttempt | null)[]> {
  if (keys.length === 0) return [];
  const ids = { _id: { $in: keys.map(pairOf) } };
  const options = { projection: deliveryToAttempt, ...within(session) };
  const found = await store.deliveries.find<DeliveryToAttempt>(ids, options).toArray();
  const deliveries = new Map(found.map((delivery) => [delivery._id, delivery]));
  return keys.map((key) => {
    const delivery = deliveries.get(pairOf(key));
    return delivery?.appUid === key.appUid ? delivery : null;
  });
}

/** Inserts deliveries with their first steps. Returns for each whether it was inserted; false if it already existed. */
export async function insertDeliveries(
  store: Store,
  steps: readonly (readonly [DeliveryKey, DeliveryStep])[],
  session?: ClientSession,
): Promise<boolean[]> {
  const documents = steps.map(([key, step]) => firstStep(key, step));
  try {
    await store.deliveries.insertMany(documents, { ordered: false, ...within(session) });
    return steps.map(() => true);
  } catch (error) {
    const refused = duplicateIndexes(error);
    return steps.map((_step, index) => !refused.has(index));
  }
}

function firstStep(key: DeliveryKey, step: DeliveryStep): DeliveryDocument {
  return {
    _id: pairOf(key),
    appUid: key.appUid,
    eventId: key.eventId,
    webhookUid: key.webhookUid,
    event: step.event,
    externalTenantId: step.externalTenantId,
    state: step.state,
    cancelReason: step.cancelReason,
    attemptCount: step.attempt === null ? 0 : 1,
    attempts: step.attempt === null ? [] : [step.attempt],
    ...(step.attempt === null ? { statusClass: null, errorClass: null } : classesOf(step.attempt)),
    nextAttemptAt: step.nextAttemptAt,
    isRateLimited: step.isRateLimited,
    partition: step.partition,
    jobUid: null,
    jobPage: null,
    requeuedAs: null,
    requeuedAt: null,
    ...(step.discardCount === undefined ? {} : { discardCount: step.discardCount }),
    scheduleFrom: 0,
    createdAt: timeOfId(key.eventId),
    updatedAt: step.now,
  };
}

// Returns false and writes nothing if, since the step began, another writer recorded an attempt, a job took the
// delivery, or it was cancelled or held and the step would reopen it.
async function recordDelivery(
  store: Store,
  key: DeliveryKey,
  step: DeliveryStep,
): Promise<boolean> {
  const { attempt, attemptsBefore: attemptCount, jobUid } = step;
  const kept = -limits.attemptsKeptMax;
  const result = await store.deliveries.updateOne(
    { _id: pairOf(key), appUid: key.appUid, attemptCount, jobUid, ...stillOpenTo(step) },
    {
      $set: {
        state: step.state,
        cancelReason: step.cancelReason,
        attemptCount: attemptCount + (attempt === null ? 0 : 1),
        nextAttemptAt: step.nextAttemptAt,
        isRateLimited: step.isRateLimited,
        updatedAt: step.now,
        ...(attempt === null ? {} : classesOf(attempt)),
      },
      ...(attempt === null ? {} : { $push: { attempts: { $each: [attempt], $slice: kept } } }),
    },
  );
  return result.matchedCount > 0;
}

function classesOf({
  status,
  errorClass,
}: Attempt): Pick<DeliveryDocument, 'statusClass' | 'errorClass'> {
  return { statusClass: statusClassOf(status), errorClass };
}

// An attempt that settles the delivery is recorded even if the delivery was cancelled or held meanwhile.
function stillOpenTo({ state }: DeliveryStep): Filter<DeliveryDocument> {
  return isOpen(state) ? { state: { $in: ['pending', 'retrying'] } } : {};
}
