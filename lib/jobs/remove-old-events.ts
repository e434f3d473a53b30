import type { Filter } from 'mongodb';
import { idAt } from '../platform/ids.ts';
import { openStates, settledStates } from '../model/delivery-state.ts';
import type { DeliveryDocument } from '../model/delivery.ts';
import type { EventDocument } from '../model/event.ts';
import { instruments } from '../telemetry/instruments.ts';
import type { Store } from '../mongo/connect.ts';
import { cancelDeliveries } from '../deliveries/deliveries.ts';

// These limits bound a batch: few events of many webhooks, or many events of few.
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

// Deletes deliveries first, so that none is left without its event.
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
  // Checked again, because a delivery may have been requeued meanwhile.
  const { deletedCount } = await store.events.deleteMany({
    _id: { $in: await withoutKept(store, eventIds, before) },
    // The workflow of an event without a mark is still to be started.
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

/** Returns the leading events, at least one, that together have at most `deliveriesMax` deliveries. */
export function firstThatFit(events: readonly SizedEvent[], deliveriesMax: number): string[] {
  let sum = 0;
  const end = events.findIndex(({ deliveries }, index) => {
    sum += deliveries;
    return index > 0 && sum > deliveriesMax;
  });
  return events.slice(0, end === -1 ? events.length : end).map(({ _id }) => _id);
}

// A retry waits at most 14 days, and the retention is at least 15. So the workflow was lost or terminated, or the
// delivery is stuck behind others. Held deliveries expire separately.
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
  // Filtered again, because a delivery may have been requeued meanwhile.
  const isOver = { state: { $in: [...settledStates] }, updatedAt: { $lt: before } };
  await store.deliveries.deleteMany({ _id: { $in: found }, ...isOver });
  return found.length;
}
