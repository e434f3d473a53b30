// What attempts read and write, done together for the many attempts that one process makes at once.
import { coalesce } from '../concurrency/coalesce.ts';
import type { DeliveryDocument, DeliveryKey, DeliveryStep } from '../model/delivery.ts';
import type { EventToAttempt } from '../model/event.ts';
import type { WebhookDocument } from '../model/webhook.ts';
import type { Store } from '../mongo/connect.ts';
import { findDeliveries, insertDeliveries, recordDelivery } from './deliveries.ts';
import { findBodies, findToAttempt } from '../events/events.ts';
import { createTriggerRecorder } from '../webhooks/webhooks.ts';

/** The records of deliveries, as an attempt sees them. */
export interface DeliveryRecords {
  readDelivery(key: DeliveryKey): Promise<DeliveryDocument | null>;
  readEvent(key: DeliveryKey): Promise<EventToAttempt | null>;
  /** Gives an event's body, long or not; null when it was removed or erased since the event was read. */
  readBody(eventId: string): Promise<string | null>;
  /** Read anew for each attempt: a pause, a new URL or a new secret is felt by the next one. */
  readWebhook(key: DeliveryKey): Promise<WebhookDocument | null>;
  /** Gives false, and writes nothing, when another process recorded an attempt meanwhile. */
  record(key: DeliveryKey, step: DeliveryStep): Promise<boolean>;
  /** Moves the webhook's `lastTriggeredAt` to about the time of an attempt. */
  recordTriggered(webhook: WebhookDocument, at: Date): Promise<void>;
}

// Reads overlap freely; writes wait for the disk, which takes many documents in the time of one.
const reads = { itemsPerCallMax: 200, callsAtOnceMax: 8 };
// Up to 256 KiB each.
const bodyReads = { itemsPerCallMax: 20, callsAtOnceMax: 8 };
// Answers come in one by one, and nobody waits for the record of one but the workflow. A record that is
// given up may be there all the same, or else its request is sent again: so it has longer than a read.
const writes = { itemsPerCallMax: 200, callsAtOnceMax: 1, lingerMs: 10, callTimeoutMs: 10_000 };

/** Makes the records of a process over its store. */
export function createDeliveryRecords(store: Store): DeliveryRecords {
  const insert = coalesce(writes, (steps: readonly [DeliveryKey, DeliveryStep][]) =>
    insertDeliveries(store, steps),
  );
  return {
    readDelivery: coalesce(reads, (keys: readonly DeliveryKey[]) => findDeliveries(store, keys)),
    readEvent: coalesce(reads, async (keys: readonly DeliveryKey[]) => {
      const ids = [...new Set(keys.map((key) => key.eventId))];
      const found = await findToAttempt(store, ids);
      const events = new Map(found.map((event) => [event._id, event]));
      return keys.map((key) => ofApp(events.get(key.eventId), key));
    }),
    readBody: coalesce(bodyReads, async (eventIds: readonly string[]) => {
      const bodies = await findBodies(store, [...new Set(eventIds)]);
      return eventIds.map((eventId) => bodies.get(eventId) ?? null);
    }),
    readWebhook: coalesce(reads, async (keys: readonly DeliveryKey[]) => {
      const ids = [...new Set(keys.map((key) => key.webhookUid))];
      const found = await store.webhooks.find({ _id: { $in: ids } }).toArray();
      const webhooks = new Map(found.map((webhook) => [webhook._id, webhook]));
      return keys.map((key) => ofApp(webhooks.get(key.webhookUid), key));
    }),
    async record(key, step) {
      // Nearly every step is a delivery's first; only those can go together, as inserts.
      if (step.isFirst && (await insert([key, step]))) return true;
      return recordDelivery(store, key, step);
    },
    recordTriggered: createTriggerRecorder(store),
  };
}

function ofApp<Document extends { appUid: string }>(
  document: Document | undefined,
  key: DeliveryKey,
): Document | null {
  return document?.appUid === key.appUid ? document : null;
}
