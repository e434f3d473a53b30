import type { ClientSession, Filter } from 'mongodb';
import { timeOfId } from '../platform/ids.ts';
import { limits } from '../limits.ts';
import { type Attempt, statusClassOf } from '../model/attempt.ts';
import { type CancelReason, isOpen } from '../model/delivery-state.ts';
import {
  type DeliveryDocument,
  type DeliveryKey,
  type DeliveryStep,
  type DeliveryToAttempt,
  deliveryToAttempt,
  pairOf,
} from '../model/delivery.ts';
import { type Store } from '../mongo/connect.ts';
import { duplicateIndexes, within } from '../mongo/transaction.ts';

/** Reads deliveries for attempts, in the order of the keys; null for a delivery that does not exist yet. */
export async function findDeliveries(
  store: Store,
  keys: readonly DeliveryKey[],
  session?: ClientSession,
): Promise<(DeliveryToAttempt | null)[]> {
  if (keys.length === 0) return [];
  const ids = { _id: { $in: keys.map(pairOf) } };
  const options = { projection: deliveryToAttempt, ...within(session) };
  const found = await store.deliveries.find<DeliveryToAttempt>(ids, options).toArray();
  const deliveries = new Map(found.map((delivery) => [delivery._id, delivery]));
  return keys.map((key) => {
    const delivery = deliveries.get(pairOf(key));
    return delivery?.appUid === key.appUid ? delivery : null;
  });
}

/** Inserts deliveries with their first steps. Returns for each whether it was inserted; false if it already existed. */
export async function insertDeliveries(
  store: Store,
  steps: readonly (readonly [DeliveryKey, DeliveryStep])[],
  session?: ClientSession,
): Promise<boolean[]> {
  const documents = steps.map(([key, step]) => firstStep(key, step));
  try {
    await store.deliveries.insertMany(documents, { ordered: false, ...within(session) });
    return steps.map(() => true);
  } catch (error) {
    const refused = duplicateIndexes(error);
    return steps.map((_step, index) => !refused.has(index));
  }
}

function firstStep(key: DeliveryKey, step: DeliveryStep): DeliveryDocument {
  return {
    _id: pairOf(key),
    appUid: key.appUid,
    eventId: key.eventId,
    webhookUid: key.webhookUid,
    event: step.event,
    externalTenantId: step.externalTenantId,
    state: step.state,
    cancelReason: step.cancelReason,
    attemptCount: step.attempt === null ? 0 : 1,
    attempts: step.attempt === null ? [] : [step.attempt],
    ...(step.attempt === null ? { statusClass: null, errorClass: null } : classesOf(step.attempt)),
    nextAttemptAt: step.nextAttemptAt,
    isRateLimited: step.isRateLimited,
    partition: step.partition,
    jobUid: null,
    jobPage: null,
    requeuedAs: null,
    requeuedAt: null,
    ...(step.discardCount === undefined ? {} : { discardCount: step.discardCount }),
    scheduleFrom: 0,
    createdAt: timeOfId(key.eventId),
    updatedAt: step.now,
  };
}

// Returns false and writes nothing if, since the step began, another writer recorded an attempt, a job took the
// delivery, or it was cancelled or held and the step would reopen it.
export async function recordDelivery(
  store: Store,
  key: DeliveryKey,
  step: DeliveryStep,
): Promise<boolean> {
  const { attempt, attemptsBefore: attemptCount, jobUid } = step;
  const kept = -limits.attemptsKeptMax;
  const result = await store.deliveries.updateOne(
    { _id: pairOf(key), appUid: key.appUid, attemptCount, jobUid, ...stillOpenTo(step) },
    {
      $set: {
        state: step.state,
        cancelReason: step.cancelReason,
        attemptCount: attemptCount + (attempt === null ? 0 : 1),
        nextAttemptAt: step.nextAttemptAt,
        isRateLimited: step.isRateLimited,
        updatedAt: step.now,
        ...(attempt === null ? {} : classesOf(attempt)),
      },
      ...(attempt === null ? {} : { $push: { attempts: { $each: [attempt], $slice: kept } } }),
    },
  );
  return result.matchedCount > 0;
}

/** Cancels the matching deliveries and returns their number. */
export async function cancelDeliveries(
  store: Store,
  filter: Filter<DeliveryDocument>,
  { reason, now, session }: { reason: CancelReason; now: Date; session?: ClientSession },
): Promise<number> {
  const end = { state: 'cancelled', cancelReason: reason, nextAttemptAt: null } as const;
  const update = { $set: { ...end, updatedAt: now } };
  return (await store.deliveries.updateMany(filter, update, within(session))).modifiedCount;
}

function classesOf({
  status,
  errorClass,
}: Attempt): Pick<DeliveryDocument, 'statusClass' | 'errorClass'> {
  return { statusClass: statusClassOf(status), errorClass };
}

// An attempt that settles the delivery is recorded even if the delivery was cancelled or held meanwhile.
function stillOpenTo({ state }: DeliveryStep): Filter<DeliveryDocument> {
  return isOpen(state) ? { state: { $in: ['pending', 'retrying'] } } : {};
}
