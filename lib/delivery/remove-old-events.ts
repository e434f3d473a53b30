// Takes old events away with their deliveries, once nothing more is to come of them.
import type { Filter } from 'mongodb';
import { idAt } from '../ids.ts';
import type { Store } from '../store/connect.ts';
import type { DeliveryDocument } from '../store/deliveries.ts';
import type { EventDocument } from '../store/events.ts';
import { settledStates, openStates } from './outcome.ts';

// An event has at most 1,000 deliveries, so that both together bound what a batch reads and removes.
const eventsPerBatch = 200;
const deliveriesPerBatch = 1_000;

export interface RemovedEvents {
  deliveries: number;
  events: number;
  /** Where the next batch begins: events before it are gone, or stay for now. */
  after: string;
  more: boolean;
}

/** Gives the filter of the events that were recorded before a time, from the uid `after` on. */
export function oldEvents(before: Date, after: string): Filter<EventDocument> {
  return { _id: { $gt: after, $lt: idAt('evt', before) } };
}

/** Gives the filter of the deliveries that keep their events: not settled, or settled since `before`. */
export function keptDeliveries(eventIds: string[], before: Date): Filter<DeliveryDocument> {
  const isYoung = { updatedAt: { $gte: before } };
  return {
    eventId: { $in: eventIds },
    $or: [{ state: { $in: [...openStates] } }, isYoung],
  };
}

/**
 * Looks at the next old events and removes those whose deliveries were all settled before `before`.
 * Deliveries go before their event, so that none is left without it.
 */
export async function removeOldEvents(
  store: Store,
  { before, after, now }: { before: Date; after: string; now: Date },
): Promise<RemovedEvents> {
  const eventIds = await store.events
    .find(oldEvents(before, after), { projection: { _id: 1 } })
    .sort({ _id: 1 })
    .limit(eventsPerBatch)
    .map((event) => event._id)
    .toArray();
  await settleAbandoned(store, eventIds, { before, now });
  const deliveries = await removeSettled(store, await withoutKept(store, eventIds, before), before);
  if (deliveries === deliveriesPerBatch) return { deliveries, events: 0, after, more: true };
  // Looked at again: one that was sent again meanwhile has a delivery to come.
  const { deletedCount } = await store.events.deleteMany({
    _id: { $in: await withoutKept(store, eventIds, before) },
    // Its workflow is still to be started.
    dispatchedAt: { $ne: null },
  });
  const more = eventIds.length === eventsPerBatch;
  return { deliveries, events: deletedCount, after: eventIds.at(-1) ?? after, more };
}

/**
 * Cancels what nothing has touched for all that time. A wait for a retry is 14 days at most and the
 * retention 15 at least, so its workflow was lost or ended by hand, or it waits behind others for ever.
 * What is held has an end of its own.
 */
async function settleAbandoned(
  store: Store,
  eventIds: string[],
  { before, now }: { before: Date; now: Date },
): Promise<void> {
  await store.deliveries.updateMany(
    {
      eventId: { $in: eventIds },
      state: { $in: ['pending', 'waiting', 'retrying'] },
      updatedAt: { $lt: before },
    },
    { $set: { state: 'cancelled', lane: null, nextAttemptAt: null, updatedAt: now } },
  );
}

async function withoutKept(store: Store, eventIds: string[], before: Date): Promise<string[]> {
  const kept = await store.deliveries
    .find(keptDeliveries(eventIds, before), { projection: { eventId: 1 } })
    .map((delivery) => delivery.eventId)
    .toArray();
  const keptIds = new Set(kept);
  return eventIds.filter((eventId) => !keptIds.has(eventId));
}

async function removeSettled(store: Store, eventIds: string[], before: Date): Promise<number> {
  const found = await store.deliveries
    .find({ eventId: { $in: eventIds } }, { projection: { _id: 1 } })
    .limit(deliveriesPerBatch)
    .map((delivery) => delivery._id)
    .toArray();
  // One that was sent again meanwhile is no longer settled.
  const isOver = { state: { $in: [...settledStates] }, updatedAt: { $lt: before } };
  await store.deliveries.deleteMany({ _id: { $in: found }, ...isOver });
  return found.length;
}
