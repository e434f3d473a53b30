// Deliveries: one a pair of event and webhook, with its state and its attempts.
import type { AttemptTimings, ErrorClass } from '../delivery/outcome.ts';
import type { DeliveryState } from '../delivery/outcome.ts';
import type { EventName } from '../events.ts';
import { newId } from '../ids.ts';
import { isDuplicateKey } from './connect.ts';
import type { Store } from './connect.ts';

/** Why an attempt was made. */
export type AttemptTrigger = 'event' | 'retry';

export interface Attempt {
  n: number;
  at: Date;
  ms: AttemptTimings;
  status: number | null;
  errorClass: ErrorClass | null;
  responseSample: string;
  /** The receiver's address, for operators only. */
  address: string | null;
  trigger: AttemptTrigger;
}

export interface DeliveryDocument {
  _id: string;
  appUid: string;
  eventId: string;
  webhookUid: string;
  event: EventName;
  state: DeliveryState;
  attemptCount: number;
  attempts: Attempt[];
  nextAttemptAt: Date | null;
  createdAt: Date;
  updatedAt: Date;
}

/** Which delivery: an event's to a webhook, in an application. */
export interface DeliveryKey {
  appUid: string;
  eventId: string;
  webhookUid: string;
}

/** What a step did to a delivery. `attempt` is absent for a step that sent nothing. */
export interface DeliveryStep {
  event: EventName;
  state: DeliveryState;
  /** How many attempts had been recorded when the step began: the guard against a second writer. */
  attemptsBefore: number;
  attempt: Attempt | null;
  nextAttemptAt: Date | null;
  now: Date;
}

/** Reads a delivery, or null when nothing has been tried yet. */
export async function readDelivery(
  store: Store,
  key: DeliveryKey,
): Promise<DeliveryDocument | null> {
  return store.deliveries.findOne({ ...key });
}

/**
 * Records a step. Gives false, and writes nothing, when another writer recorded an attempt since
 * the step began: then the stored state stands.
 */
export async function recordDelivery(
  store: Store,
  key: DeliveryKey,
  { step, attemptsKeptMax }: { step: DeliveryStep; attemptsKeptMax: number },
): Promise<boolean> {
  const push =
    step.attempt === null
      ? {}
      : { $push: { attempts: { $each: [step.attempt], $slice: -attemptsKeptMax } } };
  try {
    const result = await store.deliveries.updateOne(
      { ...key, attemptCount: step.attemptsBefore },
      {
        $setOnInsert: {
          _id: newId('dlv', step.now),
          event: step.event,
          createdAt: step.now,
          ...(step.attempt === null ? { attempts: [] } : {}),
        },
        $set: {
          state: step.state,
          attemptCount: step.attemptsBefore + (step.attempt === null ? 0 : 1),
          nextAttemptAt: step.nextAttemptAt,
          updatedAt: step.now,
        },
        ...push,
      },
      { upsert: step.attemptsBefore === 0 },
    );
    return result.matchedCount + result.upsertedCount > 0;
  } catch (error) {
    if (isDuplicateKey(error)) return false;
    throw error;
  }
}

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
