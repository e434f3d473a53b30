// Deliveries: one a pair of event and webhook, with its state and its attempts.
import type { ClientSession, Filter } from 'mongodb';
import { newId } from '../ids.ts';
import { limits } from '../limits.ts';
import { statusClassOf } from '../model/attempt.ts';
import type { AttemptTrigger } from '../model/attempt.ts';
import { isOpen } from '../model/delivery-state.ts';
import type { DeliveryDocument, DeliveryKey, DeliveryStep } from '../model/delivery.ts';
import type { DeliveredEventName } from '../model/event-name.ts';
import type { RedeliveryToStart } from '../model/redelivery.ts';
import { duplicateIndexes, within } from './connect.ts';
import type { Store } from './connect.ts';

/** Reads deliveries, null for those of which nothing has been recorded yet, in the keys' order. */
export async function findDeliveries(
  store: Store,
  keys: readonly DeliveryKey[],
): Promise<(DeliveryDocument | null)[]> {
  // Two lists instead of a list of pairs: the index takes them apart, and the few pairs too many
  // (an event's other webhooks) are in the map and not asked for.
  const eventIds = [...new Set(keys.map((key) => key.eventId))];
  const webhookUids = [...new Set(keys.map((key) => key.webhookUid))];
  const found = await store.deliveries
    .find({ eventId: { $in: eventIds }, webhookUid: { $in: webhookUids } })
    .toArray();
  const deliveries = new Map(found.map((delivery) => [pairOf(delivery), delivery]));
  return keys.map((key) => {
    const delivery = deliveries.get(pairOf(key));
    return delivery?.appUid === key.appUid ? delivery : null;
  });
}

function pairOf({ eventId, webhookUid }: Pick<DeliveryKey, 'eventId' | 'webhookUid'>): string {
  return `${eventId}/${webhookUid}`;
}

/**
 * Records the first steps of deliveries. Gives an answer each: false where the delivery exists
 * already, for then somebody else took its first step.
 */
export async function insertDeliveries(
  store: Store,
  steps: readonly (readonly [DeliveryKey, DeliveryStep])[],
): Promise<boolean[]> {
  const documents = steps.map(([key, step]) => firstStep(key, step));
  try {
    await store.deliveries.insertMany(documents, { ordered: false });
    return steps.map(() => true);
  } catch (error) {
    const refused = duplicateIndexes(error);
    return steps.map((_step, index) => !refused.has(index));
  }
}

function firstStep(key: DeliveryKey, step: DeliveryStep): DeliveryDocument {
  return {
    _id: newId('dlv', step.now),
    appUid: key.appUid,
    eventId: key.eventId,
    webhookUid: key.webhookUid,
    event: step.event,
    state: step.state,
    attemptCount: step.attempt === null ? 0 : 1,
    attempts: step.attempt === null ? [] : [step.attempt],
    statusClass: step.attempt === null ? null : statusClassOf(step.attempt.status),
    nextAttemptAt: step.nextAttemptAt,
    lane: step.lane,
    redeliveryUid: null,
    requeuedAs: null,
    scheduleFrom: 0,
    createdAt: step.now,
    updatedAt: step.now,
  };
}

/**
 * Records a further step. Gives false, and writes nothing, when since the step began another writer
 * recorded an attempt, a redelivery took the delivery over, or it was dropped, held or put into a lane and
 * the step would have it go on: then the stored state stands.
 */
export async function recordDelivery(
  store: Store,
  key: DeliveryKey,
  step: DeliveryStep,
): Promise<boolean> {
  const { attempt } = step;
  const kept = -limits.attemptsKeptMax;
  const { attemptsBefore: attemptCount, redeliveryUid } = step;
  const result = await store.deliveries.updateOne(
    { ...key, attemptCount, redeliveryUid, ...stillOpenTo(step) },
    {
      $set: {
        state: step.state,
        attemptCount: step.attemptsBefore + (attempt === null ? 0 : 1),
        nextAttemptAt: step.nextAttemptAt,
        lane: step.lane,
        updatedAt: step.now,
        ...(attempt === null ? {} : { statusClass: statusClassOf(attempt.status) }),
      },
      ...(attempt === null ? {} : { $push: { attempts: { $each: [attempt], $slice: kept } } }),
    },
  );
  return result.matchedCount > 0;
}

/**
 * Where a delivery that a step would have go on must still stand. What was dropped while it was attempted
 * is not taken up again, and what was held or put into a lane has another to carry it, also where the step
 * got no turn and sent nothing; how an attempt that settles it ended is told all the same.
 */
function stillOpenTo({ state, attempt, lane }: DeliveryStep): Filter<DeliveryDocument> {
  if (!isOpen(state)) return {};
  if (attempt === null) return { state: state === 'pending' ? state : { $ne: 'cancelled' } };
  return {
    state: { $in: ['pending', 'retrying', ...(lane === null ? [] : ['waiting' as const])] },
  };
}

/** Removes a delivery whose event is gone: without it nothing can be sent, and no list by event shows it. */
export async function removeDelivery(
  store: Store,
  { _id }: Pick<DeliveryDocument, '_id'>,
): Promise<void> {
  await store.deliveries.deleteOne({ _id });
}

// A resend has one event and at most so many webhooks; the page of a replay is smaller.
const requeuedMax = limits.webhooksPerAppCeiling;

/** What a redelivery does to the deliveries that it takes over. */
export interface Requeueing {
  redeliveryUid: string;
  requeuedAs: Extract<AttemptTrigger, 'resend' | 'replay'>;
  now: Date;
  session?: ClientSession;
}

/**
 * Hands deliveries to a redelivery: each is due at once, with its schedule from the beginning, and
 * whatever carried it lets go of it. One that this redelivery has taken over already is left alone,
 * so that doing it again after a crash sends nothing twice.
 */
export async function requeueDeliveries(
  store: Store,
  deliveries: readonly (DeliveryKey & { event: DeliveredEventName })[],
  { redeliveryUid, requeuedAs, now, session }: Requeueing,
): Promise<void> {
  if (deliveries.length === 0) return;
  const requeued = {
    state: 'pending',
    nextAttemptAt: null,
    lane: null,
    redeliveryUid,
    requeuedAs,
  } as const;
  await store.deliveries.bulkWrite(
    deliveries.flatMap(({ event, ...key }) => [
      {
        updateOne: {
          filter: { ...key },
          update: {
            $setOnInsert: {
              ...requeued,
              _id: newId('dlv', now),
              event,
              attemptCount: 0,
              attempts: [],
              statusClass: null,
              scheduleFrom: 0,
              createdAt: now,
              updatedAt: now,
            },
          },
          upsert: true,
        },
      },
      {
        updateOne: {
          filter: { ...key, redeliveryUid: { $ne: redeliveryUid } },
          update: [{ $set: { ...requeued, scheduleFrom: '$attemptCount', updatedAt: now } }],
        },
      },
    ]),
    within(session),
  );
}

/**
 * Gives the deliveries of events after `after` that a redelivery has taken over and that nobody attempted
 * since, in the order of their events. Where those up to `after` are all that it handed on, these are
 * the rest.
 */
export async function findRequeued(
  store: Store,
  { _id: redeliveryUid, appUid, webhookUids }: RedeliveryToStart,
  after: string,
): Promise<Pick<DeliveryDocument, 'eventId' | 'webhookUid'>[]> {
  const requeued = { state: 'pending', redeliveryUid, eventId: { $gt: after } } as const;
  return store.deliveries
    .find({ appUid, webhookUid: { $in: webhookUids }, ...requeued })
    .project<Pick<DeliveryDocument, 'eventId' | 'webhookUid'>>({ eventId: 1, webhookUid: 1 })
    .sort({ eventId: 1 })
    .limit(requeuedMax)
    .toArray();
}
