// How a delivery stands, as the workflow that asked is told.
import type { DeliveryOutcome } from '../model/delivery-outcome.ts';
import { isOpen } from '../model/delivery-state.ts';
import type { DeliveryDocument, DeliveryKey, DeliveryStep } from '../model/delivery.ts';
import type { Asker } from './decide.ts';

/** Returns the outcome of a step that was recorded just now. */
export function recordedOutcome(
  { eventId, webhookUid }: DeliveryKey,
  step: DeliveryStep,
): DeliveryOutcome {
  return {
    eventId,
    webhookUid,
    state: step.state,
    attemptCount: step.attemptsBefore + (step.attempt === null ? 0 : 1),
    status: step.attempt?.status ?? null,
    errorClass: step.attempt?.errorClass ?? null,
    host: null,
    attemptsMax: null,
    nextAttemptAt: step.nextAttemptAt?.toISOString() ?? null,
  };
}

/**
 * Returns how a stored delivery stands: `superseded` for who does not own it any more, `waiting` for an
 * event whose partition does. What is still `pending` another process took up, and its owner is to ask
 * again, for that process may be lost.
 */
export function outcomeOf(
  key: DeliveryKey,
  delivery: DeliveryDocument | null,
  asker: Asker,
): DeliveryOutcome {
  const before = unattempted(key, delivery);
  if (delivery === null) return { ...before, state: 'cancelled' };
  const { state, jobUid, partition, nextAttemptAt } = delivery;
  const owner = asker.kind === 'job' ? asker.jobUid : null;
  if (jobUid !== owner) return { ...before, state: isOpen(state) ? 'superseded' : state };
  const isLeft = asker.kind === 'event' && partition !== null;
  const open = isLeft ? 'waiting' : 'retrying';
  const stands = state === 'pending' || state === 'retrying' ? open : state;
  return { ...before, state: stands, nextAttemptAt: nextAttemptAt?.toISOString() ?? null };
}

/** What an outcome says of a delivery to which nothing was sent just now. */
export function unattempted(
  { eventId, webhookUid }: DeliveryKey,
  delivery: DeliveryDocument | null,
): Omit<DeliveryOutcome, 'state'> {
  const last = delivery?.attempts.at(-1);
  return {
    eventId,
    webhookUid,
    attemptCount: delivery?.attemptCount ?? 0,
    status: last?.status ?? null,
    errorClass: last?.errorClass ?? null,
    host: null,
    attemptsMax: null,
    nextAttemptAt: null,
  };
}
