// Lanes: the deliveries about one resource on their way to one webhook that wants them in order.
import type { DeliveryState } from '../delivery/outcome.ts';
import type { Store } from './connect.ts';
import type { DeliveryDocument } from './deliveries.ts';

/** Names a lane. */
export interface LaneKey {
  appUid: string;
  webhookUid: string;
  resourceUid: string;
}

// How far back to look past deliveries that somebody sent again, before the resource counts as free.
const lookedBackMax = 50;

// A delivery in one of these is done with, and the one after it may go.
const passed: ReadonlySet<DeliveryState> = new Set([
  'delivered',
  'exhausted',
  'cancelled',
  'blocked',
]);

/** Gives the delivery at the head of a lane, or null when it is empty. */
export async function findHead(
  store: Store,
  { appUid, webhookUid, resourceUid }: LaneKey,
): Promise<DeliveryDocument | null> {
  return store.deliveries.findOne(
    { appUid, webhookUid, 'lane.resourceUid': resourceUid, 'lane.sequence': { $gt: 0 } },
    { sort: { 'lane.sequence': 1 } },
  );
}

/** What stands before a delivery of a lane, outside of it: nothing, an event on its way, a held one. */
export type Before = 'nothing' | 'underway' | 'held';

/**
 * Tells whether an earlier event about the resource is yet to reach the webhook outside the lane: its
 * workflow has not handed it over, it is held, or somebody sends it again. The nearest one that was
 * settled in its turn speaks for all before it, because it could not go before them; one that was sent
 * again or erased was settled out of its turn, and says nothing of those.
 */
export async function findBefore(
  store: Store,
  { appUid, webhookUid, resourceUid }: LaneKey,
  sequence: number,
): Promise<Before> {
  let below = sequence;
  for (let count = 0; count < lookedBackMax; count += 1) {
    const earlier = await store.events.findOne(
      { appUid, resourceUid, inOrder: true, sequence: { $lt: below }, webhookUids: webhookUid },
      { sort: { sequence: -1 }, projection: { sequence: 1, erasedAt: 1 } },
    );
    if (earlier?.sequence == null) return 'nothing';
    const delivery = await store.deliveries.findOne(
      { eventId: earlier._id, webhookUid, appUid },
      { projection: { state: 1, requeuedAs: 1 } },
    );
    if (delivery?.state === 'held') return 'held';
    if (delivery === null || !passed.has(delivery.state)) return 'underway';
    if (delivery.requeuedAs === null && earlier.erasedAt === null) return 'nothing';
    below = earlier.sequence;
  }
  return 'nothing';
}

/** Takes a waiting delivery out of its lane, as held. */
export async function holdFromLane(
  store: Store,
  delivery: Pick<DeliveryDocument, '_id' | 'lane'>,
  now: Date,
): Promise<void> {
  await store.deliveries.updateOne(
    { _id: delivery._id, lane: delivery.lane, state: 'waiting' },
    { $set: { state: 'held', lane: null, updatedAt: now } },
  );
}

/** Puts a delivery back into its lane, unless a release has taken it by now. */
export async function returnToLane(
  store: Store,
  delivery: Pick<DeliveryDocument, '_id' | 'lane'>,
  now: Date,
): Promise<void> {
  await store.deliveries.updateOne(
    { _id: delivery._id, lane: null, state: 'held' },
    { $set: { state: 'waiting', lane: delivery.lane, updatedAt: now } },
  );
}

/** Takes a delivery whose event is gone out of its lane, as cancelled. */
export async function dropFromLane(
  store: Store,
  delivery: Pick<DeliveryDocument, '_id' | 'lane'>,
  now: Date,
): Promise<void> {
  await store.deliveries.updateOne(
    { _id: delivery._id, lane: delivery.lane },
    { $set: { state: 'cancelled', lane: null, nextAttemptAt: null, updatedAt: now } },
  );
}
