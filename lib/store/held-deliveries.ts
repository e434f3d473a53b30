// Deliveries that a paused webhook holds: found, counted, handed to a release, dropped.
import type { Store } from './connect.ts';
import type { DeliveryKey } from './deliveries.ts';

/** Gives a webhook's held deliveries after the uid `after`, oldest first. */
export async function findHeld(
  store: Store,
  key: Pick<DeliveryKey, 'appUid' | 'webhookUid'>,
  { after, countMax }: { after: string; countMax: number },
): Promise<{ uid: string; eventId: string }[]> {
  return store.deliveries
    .find({ ...key, state: 'held', _id: { $gt: after } }, { projection: { eventId: 1 } })
    .sort({ _id: 1 })
    .limit(countMax)
    .map((delivery) => ({ uid: delivery._id, eventId: delivery.eventId }))
    .toArray();
}

const heldCountMax = 10_000;

/** Counts what a webhook holds; from 10,000 on it counts no further. */
export async function countHeld(
  store: Store,
  { appUid, _id }: { appUid: string; _id: string },
): Promise<number> {
  const filter = { appUid, webhookUid: _id, state: 'held' } as const;
  return store.deliveries.countDocuments(filter, { limit: heldCountMax });
}

/**
 * Counts what each webhook of an application holds, in one query; from 10,000 on a webhook is counted
 * no further. A webhook that holds nothing is not in the map.
 */
export async function countHeldByWebhook(
  store: Store,
  appUid: string,
): Promise<Map<string, number>> {
  // Joined to the webhooks, and not grouped, because only so can the counting of each one stop.
  const counted = store.webhooks.aggregate<{ _id: string; held: number }>([
    { $match: { appUid } },
    {
      $lookup: {
        from: store.deliveries.collectionName,
        localField: '_id',
        foreignField: 'webhookUid',
        pipeline: [
          { $match: { appUid, state: 'held' } },
          { $limit: heldCountMax },
          { $count: 'count' },
        ],
        as: 'held',
      },
    },
    { $unwind: '$held' },
    { $project: { held: '$held.count' } },
  ]);
  return new Map((await counted.toArray()).map(({ _id, held }) => [_id, held]));
}

/** Hands held deliveries to a release, from whatever redelivery left them. */
export async function takeHeld(store: Store, deliveryUids: readonly string[]): Promise<void> {
  await store.deliveries.updateMany(
    { _id: { $in: [...deliveryUids] }, state: 'held' },
    { $set: { redeliveryUid: null, requeuedAs: null } },
  );
}

/** Drops what a webhook holds, and gives how many that were. */
export async function discardHeld(
  store: Store,
  { appUid, webhookUid }: Pick<DeliveryKey, 'appUid' | 'webhookUid'>,
  now: Date,
): Promise<number> {
  const { modifiedCount } = await store.deliveries.updateMany(
    { appUid, webhookUid, state: 'held' },
    { $set: { state: 'cancelled', updatedAt: now } },
  );
  return modifiedCount;
}
