import type { Filter } from 'mongodb';
import { openStates, settledStates } from '../../model/delivery-state.ts';
import type { DeliveryDocument } from '../../model/delivery.ts';
import { idAt } from '../../platform/ids.ts';
import { instruments } from '../../telemetry/instruments.ts';
import type { Store } from '../../mongo/connect.ts';
import { cancelDeliveries } from '../../deliveries/cancel-deliveries.ts';

// These limits bound a batch, at least one event: few events of many webhooks, or many events of few.
const eventsPerBatch = 2_000;
const deliveriesPerBatch = 4_000;

interface RemovedEvents {
  deliveries: number;
  events: number;
  after: string;
  more: boolean;
}

/** Consecutive events, and the deliveries of the same events: their ids begin with that of the event. */
interface Range {
  _id: { $gte: string; $lt: string };
}

export function oldEvents(before: Date, after: string): Range {
  return { _id: { $gte: after, $lt: idAt('evt', before) } };
}

export function keptDeliveries(range: Range, before: Date): Filter<DeliveryDocument> {
  const isKept = [{ state: { $in: [...openStates] } }, { updatedAt: { $gte: before } }];
  return { ...range, $or: isKept };
}

/**
 * Removes the next old events and their deliveries, except events with a delivery that is open or was changed lately.
 * Deletes deliveries first, so that none is left without its event.
 */
export async function removeOldEvents(
  store: Store,
  { before, after, now }: { before: Date; after: string; now: Date },
): Promise<RemovedEvents> {
  const old = oldEvents(before, after);
  const range = await cutToBatch(store, old);
  const kept = await findKept(store, range, { before, now });
  const deliveries = await store.deliveries.deleteMany({
    ...range,
    eventId: { $nin: kept },
    // Filtered again, because a delivery may have been requeued meanwhile.
    state: { $in: [...settledStates] },
    updatedAt: { $lt: before },
  });
  const left = await store.deliveries
    .find(range, { projection: { _id: 1 } })
    .map(({ _id }) => eventIdOf(_id))
    .toArray();
  const events = await store.events.deleteMany({
    _id: { ...range._id, $nin: [...new Set(left)] },
    // The workflow of an event without a mark is still to be started.
    dispatchedAt: { $ne: null },
  });
  return {
    deliveries: deliveries.deletedCount,
    events: events.deletedCount,
    after: range._id.$lt,
    more: range._id.$lt < old._id.$lt,
  };
}

function eventIdOf(deliveryId: string): string {
  return deliveryId.slice(0, deliveryId.indexOf('/'));
}

// Reads only index keys, and returns only one of them.
async function findAt(
  collection: Store['events' | 'deliveries'],
  range: Range,
  index: number,
): Promise<string | undefined> {
  const found = await (collection as Store['events'])
    .find(range, { projection: { _id: 1 } })
    .sort({ _id: 1 })
    .skip(index)
    .limit(1)
    .next();
  return found?._id;
}

async function cutToBatch(store: Store, old: Range): Promise<Range> {
  const { $gte } = old._id;
  const next = await findAt(store.events, old, eventsPerBatch);
  const range = next === undefined ? old : { _id: { $gte, $lt: next } };
  const surplus = await findAt(store.deliveries, range, deliveriesPerBatch);
  if (surplus === undefined) return range;
  const eventId = eventIdOf(surplus);
  const isFirst = (await findAt(store.events, { _id: { $gte, $lt: eventId } }, 0)) === undefined;
  // In ASCII `0` follows `/`: the end of the event's own deliveries.
  return { _id: { $gte, $lt: isFirst ? `${eventId}0` : eventId } };
}

/**
 * Returns the events that are kept. Cancels what was abandoned: a retry waits at most 14 days, and the retention is at
 * least 15. So the workflow was lost or terminated, or the delivery is stuck behind others. Held ones expire separately.
 */
async function findKept(
  store: Store,
  range: Range,
  { before, now }: { before: Date; now: Date },
): Promise<string[]> {
  const found = await store.deliveries
    .find(keptDeliveries(range, before))
    .project<Pick<DeliveryDocument, '_id' | 'eventId' | 'state' | 'updatedAt'>>({
      eventId: 1,
      state: 1,
      updatedAt: 1,
    })
    .toArray();
  const abandoned = {
    state: { $in: ['pending', 'retrying'] },
    updatedAt: { $lt: before },
  } as const;
  const ids = found
    .filter(({ state, updatedAt }) => state !== 'held' && updatedAt < before)
    .map(({ _id }) => _id);
  if (ids.length > 0) {
    const filter = { _id: { $in: ids }, ...abandoned };
    const count = await cancelDeliveries(store, filter, { reason: 'abandoned', now });
    instruments.deliveriesCancelled.add(count, { reason: 'abandoned' });
  }
  return [...new Set(found.map(({ eventId }) => eventId))];
}
