// Takes old events away with their deliveries, once nothing more is to come of them.
import type { Filter } from 'mongodb';
import { idAt } from '../platform/ids.ts';
import { openStates, settledStates } from '../model/delivery-state.ts';
import type { DeliveryDocument } from '../model/delivery.ts';
import type { EventDocument } from '../model/event.ts';
import type { Store } from '../mongo/connect.ts';

// Both bound what a batch reads and removes: few events of many webhooks, or many of few.
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
  const old = await store.events
    .find(oldEvents(before, after))
    .project<OldEvent>({ deliveries: { $size: '$webhookUids' } })
    .sort({ _id: 1 })
    .limit(eventsPerBatch)
    .toArray();
  const eventIds = firstThatFit(old);
  await settleAbandoned(store, eventIds, { before, now });
  const deliveries = await removeSettled(store, await withoutKept(store, eventIds, before), before);
  if (deliveries === deliveriesPerBatch) return { deliveries, events: 0, after, more: true };
  // Looked at again: one that was sent again meanwhile has a delivery to come.
  const { deletedCount } = await store.events.deleteMany({
    _id: { $in: await withoutKept(store, eventIds, before) },
    // Its workflow is still to be started.
    dispatchedAt: { $ne: null },
  });
  const more = eventIds.length < old.length || old.length === eventsPerBatch;
  return { deliveries, events: deletedCount, after: eventIds.at(-1) ?? after, more };
}

interface OldEvent {
  _id: string;
  /** To how many webhooks it went when it was recorded; what others were sent later does not count here. */
  deliveries: number;
}

/** Gives the uids of the first events that have no more deliveries together than fit; at least one. */
function firstThatFit(events: readonly OldEvent[]): string[] {
  let sum = 0;
  const end = events.findIndex(({ deliveries }, index) => {
    sum += deliveries;
    return index > 0 && sum > deliveriesPerBatch;
  });
  return events.slice(0, end === -1 ? events.length : end).map(({ _id }) => _id);
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
      state: { $in: ['pending', 'retrying'] },
      updatedAt: { $lt: before },
    },
    { $set: { state: 'cancelled', nextAttemptAt: null, updatedAt: now } },
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
