import type { ClientSession } from 'mongodb';
import { coalesce } from '../concurrency/coalesce.ts';
import type { DeliveryKey, DeliveryStep, DeliveryToAttempt } from '../model/delivery.ts';
import type { EventToAttempt } from '../model/event.ts';
import type { WebhookDocument } from '../model/webhook.ts';
import type { Store } from '../mongo/connect.ts';
import { readProven } from '../mongo/read-proven.ts';
import { findDeliveries, insertDeliveries, recordDelivery } from './deliveries.ts';
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
  /** Reads all three again and misses no acknowledged write: see `read-proven.ts`. */
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
