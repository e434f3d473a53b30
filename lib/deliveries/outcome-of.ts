import type { DeliveryOutcome } from '../model/delivery-outcome.ts';
import { isOpen } from '../model/delivery-state.ts';
import type { DeliveryDocument, DeliveryKey, DeliveryStep } from '../model/delivery.ts';
import type { Asker } from './decide.ts';

export function recordedOutcome(key: DeliveryKey, step: DeliveryStep): DeliveryOutcome {
  return {
    ...unattempted(key, null),
    state: step.state,
    attemptCount: step.attemptsBefore + (step.attempt === null ? 0 : 1),
    status: step.attempt?.status ?? null,
    errorClass: step.attempt?.errorClass ?? null,
    nextAttemptAt: step.nextAttemptAt?.toISOString() ?? null,
    isInLine: step.isInLine || undefined,
  };
}

// `superseded` for an asker that lost the delivery to a job, `waiting` for an event whose partition owns it. A `pending`
// one counts as `retrying`: the process that took it may be lost.
export function outcomeOf(
  key: DeliveryKey,
  delivery: DeliveryDocument | null,
  asker: Asker,
): DeliveryOutcome {
  const before = unattempted(key, delivery);
  if (delivery === null) return { ...before, state: 'cancelled' };
  const { state, jobUid, partition, nextAttemptAt, isInLine } = delivery;
  const owner = asker.kind === 'job' ? asker.jobUid : null;
  if (jobUid !== owner) return { ...before, state: isOpen(state) ? 'superseded' : state };
  const isLeft = asker.kind === 'event' && partition !== null;
  const open = isLeft ? 'waiting' : 'retrying';
  const stands = state === 'pending' || state === 'retrying' ? open : state;
  const dueAt = nextAttemptAt?.toISOString() ?? null;
  return { ...before, state: stands, nextAttemptAt: dueAt, isInLine: isInLine || undefined };
}

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
