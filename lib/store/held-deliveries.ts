// What waits for a webhook: counted, handed to a release, taken back by an attempt, dropped.
import type { Filter } from 'mongodb';
import { idAt, idBeside, timeOfId } from '../ids.ts';
import { openStates } from '../model/delivery-state.ts';
import type { DeliveryState } from '../model/delivery-state.ts';
import type { DeliveryDocument, DeliveryKey } from '../model/delivery.ts';
import type { LanePlace } from '../model/lane.ts';
import type { WebhookDocument } from '../model/webhook.ts';
import { inTransaction } from './connect.ts';
import type { Store } from './connect.ts';

type WebhookKey = Pick<DeliveryKey, 'appUid' | 'webhookUid'>;

/** Where a release is among the deliveries of its webhook. */
export interface ReleasePlace extends WebhookKey {
  /** Null for a release from before they had uids. */
  releaseUid: string | null;
  /** The last delivery that it handed on. */
  after: string;
  countMax: number;
}

/** Gives what a release has taken and not handed on yet, oldest first. */
export async function findTaken(
  store: Store,
  { appUid, webhookUid, releaseUid, after, countMax }: ReleasePlace,
): Promise<{ uid: string; eventId: string }[]> {
  const taken = { state: 'pending', redeliveryUid: releaseUid, _id: { $gt: after } } as const;
  return store.deliveries
    .find({ appUid, webhookUid, ...taken }, { projection: { eventId: 1 } })
    .sort({ _id: 1 })
    .limit(countMax)
    .map((delivery) => ({ uid: delivery._id, eventId: delivery.eventId }))
    .toArray();
}

/**
 * Takes the deliveries that a webhook has held longest for a release: from then on they are held no
 * more, and whatever carried them lets go. Gives how many it found; of those another may have taken some.
 * Finds none where the webhook is paused or has a later release, which is written before or after, never
 * meanwhile: a worker that stood still for long must not take what nobody would carry.
 */
export async function takeHeld(
  store: Store,
  { appUid, webhookUid, releaseUid, after, countMax }: ReleasePlace,
  now: Date,
): Promise<number> {
  const held = { appUid, webhookUid, state: 'held', _id: { $gt: after } } as const;
  return inTransaction(store, async (session) => {
    const { matchedCount } = await store.webhooks.updateOne(
      { _id: webhookUid, appUid, active: true, releaseUid },
      { $inc: { pagesTaken: 1 } },
      { session },
    );
    if (matchedCount === 0) return 0;
    const oldest = await store.deliveries
      .find(held, { projection: { _id: 1 }, session })
      .sort({ _id: 1 })
      .limit(countMax)
      .map((delivery) => delivery._id)
      .toArray();
    await store.deliveries.updateMany(
      { _id: { $in: oldest }, state: 'held' },
      {
        $set: {
          state: 'pending',
          lane: null,
          redeliveryUid: releaseUid,
          requeuedAs: null,
          updatedAt: now,
        },
      },
      { session },
    );
    return oldest.length;
  });
}

/**
 * Takes a held delivery back for an attempt by who carried it, to its place in the lane if it had one.
 * Gives false when it is not held any more, or another carries it.
 */
export async function takeBack(
  store: Store,
  { appUid, eventId, webhookUid }: DeliveryKey,
  facts: { redeliveryUid: string | null; lane: LanePlace | null; now: Date },
): Promise<boolean> {
  const { redeliveryUid, lane, now } = facts;
  const state = lane === null ? 'pending' : 'waiting';
  const { modifiedCount } = await store.deliveries.updateOne(
    { appUid, eventId, webhookUid, state: 'held', redeliveryUid },
    { $set: { state, lane, updatedAt: now } },
  );
  return modifiedCount > 0;
}

const heldCountMax = 10_000;

/** What a webhook holds: while it is paused also what waits for a retry or its turn, which is held when due. */
function heldBy({ active }: Pick<WebhookDocument, 'active'>): { state: { $in: DeliveryState[] } } {
  return { state: { $in: active ? ['held'] : [...openStates] } };
}

/** Counts what a webhook holds; from 10,000 on it counts no further. */
export async function countHeld(
  store: Store,
  webhook: Pick<WebhookDocument, '_id' | 'appUid' | 'active'>,
): Promise<number> {
  const filter = { appUid: webhook.appUid, webhookUid: webhook._id, ...heldBy(webhook) };
  return store.deliveries.countDocuments(filter, { limit: heldCountMax });
}

/**
 * Counts what each webhook of an application holds, in two queries; from 10,000 on a webhook is
 * counted no further. A webhook that holds nothing is not in the map.
 */
export async function countHeldByWebhook(
  store: Store,
  appUid: string,
): Promise<Map<string, number>> {
  const counts = await Promise.all(
    [true, false].map((active) => countHeldOf(store, { appUid, active })),
  );
  return new Map(counts.flat().map(({ _id, held }) => [_id, held]));
}

async function countHeldOf(
  store: Store,
  { appUid, active }: Pick<WebhookDocument, 'appUid' | 'active'>,
): Promise<{ _id: string; held: number }[]> {
  // Joined to the webhooks, and not grouped, because only so can the counting of each one stop.
  const counted = store.webhooks.aggregate<{ _id: string; held: number }>([
    { $match: { appUid, active } },
    {
      $lookup: {
        from: store.deliveries.collectionName,
        localField: '_id',
        foreignField: 'webhookUid',
        pipeline: [
          { $match: { appUid, ...heldBy({ active }) } },
          { $limit: heldCountMax },
          { $count: 'count' },
        ],
        as: 'held',
      },
    },
    { $unwind: '$held' },
    { $project: { held: '$held.count' } },
  ]);
  return counted.toArray();
}

/** A page of a discard: at most `countMax` of a webhook's deliveries. */
type DiscardPlace = WebhookKey & { uid: string; countMax: number };

/**
 * Drops deliveries to a webhook that were open when the discard got its uid, at most `countMax` of
 * them, but for what was sent again since. Their places in lanes are left for `findDropped`. Gives how
 * many it found.
 */
export async function dropOpen(store: Store, discard: DiscardPlace, now: Date): Promise<number> {
  const older = { $lt: idBeside('dlv', discard.uid) };
  const open = { ...notSentSince(discard), state: { $in: openStates } };
  const found = await findUids(store, discard, { ...open, _id: older });
  await cancel(store, { deliveryUids: found, still: open, now });
  return found.length;
}

// A delivery has its uid from the worker's clock and a discard from the API's: so far may they differ.
const clocksDifferMaxMs = 10_000;

/**
 * Drops deliveries that a worker held before the discard got its uid, though by the worker's clock it
 * was after that; at most `countMax` of them. Without a pause since the discard all that is held at such
 * a time is from before it, or is held by an attempt that looks again. Gives how many it dropped.
 */
export async function dropHeldAhead(
  store: Store,
  discard: DiscardPlace,
  now: Date,
): Promise<number> {
  const { appUid, webhookUid, uid } = discard;
  const until = new Date(timeOfId(uid).getTime() + clocksDifferMaxMs);
  const ahead = { $gte: idBeside('dlv', uid), $lt: idAt('dlv', until) };
  const held = { ...notSentSince(discard), state: 'held' } as const;
  const found = await findUids(store, discard, { ...held, _id: ahead });
  if (found.length === 0) return 0;
  // Read only now: what a pause holds from now on is not among those found.
  const webhook = await store.webhooks.findOne({ _id: webhookUid, appUid });
  if (webhook !== null && !(webhook.active && webhook.releaseUid === uid)) return 0;
  await cancel(store, { deliveryUids: found, still: held, now });
  return found.length;
}

function notSentSince({ uid }: Pick<DiscardPlace, 'uid'>): Filter<DeliveryDocument> {
  return { $or: [{ redeliveryUid: null }, { redeliveryUid: { $lt: uid } }] };
}

async function findUids(
  store: Store,
  { appUid, webhookUid, countMax }: DiscardPlace,
  filter: Filter<DeliveryDocument>,
): Promise<string[]> {
  return store.deliveries
    .find({ appUid, webhookUid, ...filter }, { projection: { _id: 1 } })
    .limit(countMax)
    .map((delivery) => delivery._id)
    .toArray();
}

/** Cancels deliveries that are still as they were found. */
async function cancel(
  store: Store,
  facts: { deliveryUids: string[]; still: Filter<DeliveryDocument>; now: Date },
): Promise<void> {
  const { deliveryUids, still, now } = facts;
  await store.deliveries.updateMany(
    { ...still, _id: { $in: deliveryUids } },
    { $set: { state: 'cancelled', nextAttemptAt: null, updatedAt: now } },
  );
}

/** A delivery that was dropped where it stood in a lane. */
export type DroppedInLane = Pick<DeliveryDocument, '_id' | 'appUid' | 'eventId' | 'webhookUid'> & {
  lane: LanePlace;
};

/** Gives deliveries to a webhook, or of events, that were dropped and are still in a lane. */
export async function findDropped(
  store: Store,
  of: WebhookKey | { eventIds: readonly string[] },
  countMax: number,
): Promise<DroppedInLane[]> {
  const those = 'eventIds' in of ? { eventId: { $in: [...of.eventIds] } } : of;
  return store.deliveries
    .find<DroppedInLane>(
      { ...those, state: 'cancelled', 'lane.sequence': { $gt: 0 } },
      { projection: { appUid: 1, eventId: 1, webhookUid: 1, lane: 1 } },
    )
    .limit(countMax)
    .toArray();
}

/** Takes deliveries that were dropped or held where they stood out of their lanes. */
export async function leaveLanes(store: Store, deliveryUids: readonly string[]): Promise<void> {
  await store.deliveries.updateMany(
    { _id: { $in: [...deliveryUids] }, state: { $in: ['cancelled', 'held'] } },
    { $set: { lane: null } },
  );
}
