// Lanes: the deliveries about one resource on their way to one webhook that wants them in order.
import type { Filter } from 'mongodb';
import { idAt } from '../ids.ts';
import { isOpen, openStates } from '../model/delivery-state.ts';
import type { DeliveryDocument } from '../model/delivery.ts';
import type { EventDocument } from '../model/event.ts';
import type { LaneKey } from '../model/lane.ts';
import type { CountedResource } from '../model/sequence.ts';
import type { Store } from './connect.ts';

/** Gives the lane of what is about a resource on its way to a webhook. */
export function laneOf(
  { appUid, entity, resourceUid }: CountedResource,
  webhookUid: string,
): LaneKey {
  return { appUid, webhookUid, entity, resourceUid };
}

// How far back to look past deliveries that say nothing of those before them: one at first, because the
// nearest nearly always speaks, then ten times as many as so far.
const lookedBackMax = 10_000;
const lookedAtOnceMax = 1_000;

/** Gives the delivery at the head of a lane, or null when it is empty. */
export async function findHead(store: Store, lane: LaneKey): Promise<DeliveryDocument | null> {
  return store.deliveries.findOne(inLane(lane), { sort: { 'lane.sequence': 1 } });
}

/** Gives the events of the deliveries in a lane, the first of them. */
export async function findInLane(store: Store, lane: LaneKey, countMax: number): Promise<string[]> {
  return store.deliveries
    .find(inLane(lane), { projection: { eventId: 1 } })
    .sort({ 'lane.sequence': 1 })
    .limit(countMax)
    .map((delivery) => delivery.eventId)
    .toArray();
}

function inLane(lane: LaneKey): Filter<DeliveryDocument> {
  return {
    appUid: lane.appUid,
    webhookUid: lane.webhookUid,
    'lane.entity': lane.entity,
    'lane.resourceUid': lane.resourceUid,
    'lane.sequence': { $gt: 0 },
  };
}

/** What stands before a delivery of a lane, outside of it: nothing, an event on its way, a held one. */
export type Before = 'nothing' | 'underway' | 'held';

/**
 * Tells whether an earlier event about the resource is yet to reach the webhook outside the lane: its
 * workflow has not handed it over, it is held, or somebody sends it again. The nearest one that was
 * settled in its turn speaks for all before it, because it could not go before them. One that a resend
 * settled or that was cancelled did not have its turn and says nothing of those; past 10,000 of these in
 * a row nothing is taken to come before. Erased events are not looked at.
 */
export async function findBefore(store: Store, lane: LaneKey, sequence: number): Promise<Before> {
  let below = sequence;
  let count = 1;
  for (let looked = 0; looked < lookedBackMax; looked += count) {
    if (looked > 0) count = Math.min(10 * looked, lookedAtOnceMax, lookedBackMax - looked);
    const { events, deliveries } = await findEarlier(store, lane, { below, count });
    const speaking = events.find(({ _id }) => !isOutOfTurn(deliveries.get(_id)));
    if (speaking !== undefined) return whatIs(deliveries.get(speaking._id));
    const last = events.at(-1)?.sequence;
    if (last == null || events.length < count) return 'nothing';
    below = last;
  }
  return 'nothing';
}

type Standing = Pick<DeliveryDocument, 'eventId' | 'state' | 'requeuedAs'>;

/** Gives the filter of the events about a resource that a webhook gets in order, before a sequence. */
export function earlierEvents(
  { appUid, webhookUid, entity, resourceUid }: LaneKey,
  below: number,
): Filter<EventDocument> {
  const inOrder = { inOrder: true, sequence: { $lt: below }, webhookUids: webhookUid };
  return { appUid, entity, resourceUid, ...inOrder };
}

/** Gives the nearest events before a sequence, the last first, and how their deliveries stand. */
async function findEarlier(
  store: Store,
  lane: LaneKey,
  { below, count }: { below: number; count: number },
): Promise<{
  events: Pick<EventDocument, '_id' | 'sequence'>[];
  deliveries: Map<string, Standing>;
}> {
  const { appUid, webhookUid } = lane;
  const events = await store.events
    .find(earlierEvents(lane, below), { projection: { sequence: 1 } })
    .sort({ sequence: -1 })
    .limit(count)
    .toArray();
  const eventIds = events.map((event) => event._id);
  const found = await store.deliveries
    .find<Standing>(
      { eventId: { $in: eventIds }, webhookUid, appUid },
      { projection: { eventId: 1, state: 1, requeuedAs: 1 } },
    )
    .toArray();
  return { events, deliveries: new Map(found.map((delivery) => [delivery.eventId, delivery])) };
}

function isOutOfTurn(delivery: Standing | undefined): boolean {
  if (delivery === undefined || isOpen(delivery.state)) return false;
  return delivery.state === 'cancelled' || delivery.requeuedAs === 'resend';
}

function whatIs(delivery: Standing | undefined): Before {
  if (delivery?.state === 'held') return 'held';
  return delivery !== undefined && !isOpen(delivery.state) ? 'nothing' : 'underway';
}

/** Holds a waiting delivery where it is in its lane. */
export async function holdInLane(
  store: Store,
  delivery: Pick<DeliveryDocument, '_id' | 'lane'>,
  now: Date,
): Promise<void> {
  await store.deliveries.updateOne(
    { _id: delivery._id, lane: delivery.lane, state: 'waiting' },
    { $set: { state: 'held', updatedAt: now } },
  );
}

/** Lets a delivery that is held in its lane wait there again, unless a release has taken it by now. */
export async function waitInLane(
  store: Store,
  delivery: Pick<DeliveryDocument, '_id' | 'lane'>,
  now: Date,
): Promise<void> {
  await store.deliveries.updateOne(
    { _id: delivery._id, lane: delivery.lane, state: 'held' },
    { $set: { state: 'waiting', updatedAt: now } },
  );
}

// Some seconds of MongoDB's time; whoever changes a webhook waits for it.
const putInOrderMax = 50_000;
// An event may be so old before its first attempt is recorded; then its delivery tells how it stands.
const firstAttemptMsMax = 60_000;

/**
 * Makes later events wait for those that are still on their way to a webhook that gets events in order
 * from now on, and were recorded when nobody asked for an order: those whose deliveries are not settled,
 * 50,000 at most, and those of the last minute, whose first attempts may be under way. Doing it again
 * changes nothing.
 */
export async function putInOrder(
  store: Store,
  { appUid, webhookUid }: Pick<LaneKey, 'appUid' | 'webhookUid'>,
  now: Date,
): Promise<void> {
  const since = idAt('evt', new Date(now.getTime() - firstAttemptMsMax));
  await store.events.updateMany(
    { appUid, _id: { $gte: since }, webhookUids: webhookUid, erasedAt: null },
    { $set: { inOrder: true } },
  );
  const underway = store.deliveries.aggregate([
    { $match: { appUid, webhookUid, state: { $in: [...openStates] } } },
    { $limit: putInOrderMax },
    { $project: { _id: '$eventId' } },
    {
      $merge: {
        into: store.events.collectionName,
        // Nothing waits for an erased one.
        whenMatched: [{ $set: { inOrder: { $eq: ['$erasedAt', null] } } }],
        whenNotMatched: 'discard',
      },
    },
  ]);
  await underway.toArray();
}
