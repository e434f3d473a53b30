// Checks for jobs whether numbers are settled.
import type { ClientSession } from 'mongodb';
import type { DeliveryDocument } from '../model/delivery.ts';
import { partitionId, type PartitionKey } from '../model/partition.ts';
import type { Store } from '../mongo/connect.ts';

export async function findSettled(
  store: Store,
  partitions: readonly PartitionKey[],
  session: ClientSession,
): Promise<Map<string, number>> {
  const found = await store.partitions
    .find({ _id: { $in: partitions.map(partitionId) } }, { projection: { settled: 1 }, session })
    .toArray();
  return new Map(found.map(({ _id, settled }) => [_id, settled]));
}

/** Returns the uids of deliveries whose number is already settled. */
export async function findPassed(
  store: Store,
  deliveries: readonly Pick<DeliveryDocument, '_id' | 'eventId' | 'partition'>[],
  session: ClientSession,
): Promise<string[]> {
  const ids = deliveries.flatMap(({ partition }) => partition ?? []);
  if (ids.length === 0) return [];
  const eventIds = deliveries.map(({ eventId }) => eventId);
  const partitions = await store.partitions.find({ _id: { $in: ids } }, { session }).toArray();
  const events = await store.events
    .find({ _id: { $in: eventIds } }, { projection: { order: 1 }, session })
    .toArray();
  const partitionOf = new Map(partitions.map((each) => [each._id, each]));
  const orderOf = new Map(events.map(({ _id, order }) => [_id, order]));
  return deliveries.flatMap(({ _id, eventId, partition }) => {
    const found = partition === null ? undefined : partitionOf.get(partition);
    const place = orderOf.get(eventId)?.find((each) => each.webhookUid === found?.webhookUid);
    const isAhead = found !== undefined && place !== undefined && place.n > found.settled;
    return isAhead ? [] : [_id];
  });
}
