import type { Filter } from 'mongodb';
import { idAt } from '../platform/ids.ts';
import { openStates, settledStates } from '../model/delivery-state.ts';
import type { DeliveryDocument } from '../model/delivery.ts';
import type { EventDocument } from '../model/event.ts';
import { instruments } from '../telemetry/instruments.ts';
import type { Store } from '../mongo/connect.ts';
import { cancelDeliveries } from '../deliveries/deliveries.ts';

// Both bound a batch: few events of many webhooks, or many of few.
const eventsPerBatch = 200;
const deliveriesPerBatch = 1_000;

interface RemovedEvents {
  deliveries: number;
  events: number;
  after: string;
  more: boolean;
}

export function oldEvents(before: Date, after: string): Filter<EventDocument> {
  return { _id: { $gt: after, $lt: idAt('evt', before) } };
}

export function keptDeliveries(eventIds: string[], before: Date): Filter<DeliveryDocument> {
  const isKept = [{ state: { $in: [...openStates] } }, { updatedAt: { $gte: before } }];
  return { eventId: { $in: eventIds }, $or: isKept };
}

// Deliveries go first, so that none is left without its event.
export async function removeOldEvents(
  store: Store,
  { before, after, now }: { before: Date; after: string; now: Date },
): Promise<RemovedEvents> {
  const old = await store.events
    .find(oldEvents(before, after))
    .project<SizedEvent>(eventSize)
    .sort({ _id: 1 })
    .limit(eventsPerBatch)
    .toArray();
  const eventIds = firstThatFit(old, deliveriesPerBatch);
  await settleAbandoned(store, eventIds, { before, now });
  const deliveries = await removeSettled(store, await withoutKept(store, eventIds, before), before);
  if (deliveries === deliveriesPerBatch) return { deliveries, events: 0, after, more: true };
  // Checked again: one may have been sent again meanwhile.
  const { deletedCount } = await store.events.deleteMany({
    _id: { $in: await withoutKept(store, eventIds, before) },
    // Else its workflow is still to be started.
    dispatchedAt: { $ne: null },
  });
  const more = eventIds.length < old.length || old.length === eventsPerBatch;
  return { deliveries, events: deletedCount, after: eventIds.at(-1) ?? after, more };
}

export interface SizedEvent {
  _id: string;
  deliveries: number;
}

export const eventSize = { deliveries: { $size: '$webhookUids' } };

/** Returns the first of them that have at most so many deliveries together, but at least one. */
export function firstThatFit(events: readonly SizedEvent[], deliveriesMax: number): string[] {
  let sum = 0;
  const end = events.findIndex(({ deliveries }, index) => {
    sum += deliveries;
    return index > 0 && sum > deliveriesMax;
  });
  return events.slice(0, end === -1 ? events.length : end).map(({ _id }) => _id);
}

// A wait for a retry takes 14 days at most and the retention 15 at least: so the workflow was lost or ended by hand, or
// the delivery waits behind others for ever. Held ones have an end of their own.
async function settleAbandoned(
  store: Store,
  eventIds: string[],
  { before, now }: { before: Date; now: Date },
): Promise<void> {
  const abandoned: Filter<DeliveryDocument> = {
    eventId: { $in: eventIds },
    state: { $in: ['pending', 'retrying'] },
    updatedAt: { $lt: before },
  };
  const count = await cancelDeliveries(store, abandoned, { reason: 'abandoned', now });
  instruments.deliveriesCancelled.add(count, { reason: 'abandoned' });
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
  // One may have been sent again meanwhile.
  const isOver = { state: { $in: [...settledStates] }, updatedAt: { $lt: before } };
  await store.deliveries.deleteMany({ _id: { $in: found }, ...isOver });
  return found.length;
}
