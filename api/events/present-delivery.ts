// A delivery and its attempts as clients see them; the receiver's resolved address is not shown.
import type { Attempt } from '../../lib/model/attempt.ts';
import type { DeliveryDocument } from '../../lib/model/delivery.ts';
import type { EventFacts } from '../../lib/model/event.ts';

export interface PresentedAttempt {
  n: number;
  at: string;
  trigger: string;
  status: number | null;
  errorClass: string | null;
  /** What went wrong where there was no answer. */
  detail: string | null;
  ms: Attempt['ms'];
  responseSample: string;
}

export interface PresentedDelivery {
  eventId: string;
  event: string;
  webhookUid: string;
  state: string;
  /** The class of the last attempt's status, such as `4xx`; `none` for no answer, null for no attempt. */
  statusClass: string | null;
  attemptCount: number;
  nextAttemptAt: string | null;
  attempts: PresentedAttempt[];
  createdAt: string;
  updatedAt: string;
}

/** Gives a delivery with its latest attempts, at most 20, oldest first. */
export function presentDelivery(delivery: DeliveryDocument): PresentedDelivery {
  return {
    eventId: delivery.eventId,
    event: delivery.event,
    webhookUid: delivery.webhookUid,
    state: delivery.state,
    statusClass: delivery.statusClass,
    attemptCount: delivery.attemptCount,
    nextAttemptAt: delivery.nextAttemptAt?.toISOString() ?? null,
    attempts: delivery.attempts.map(presentAttempt),
    createdAt: delivery.createdAt.toISOString(),
    updatedAt: delivery.updatedAt.toISOString(),
  };
}

/** Gives a delivery that nothing has been tried for yet. */
export function presentPendingDelivery(event: EventFacts, webhookUid: string): PresentedDelivery {
  const at = event.createdAt.toISOString();
  return {
    eventId: event._id,
    event: event.event,
    webhookUid,
    state: 'pending',
    statusClass: null,
    attemptCount: 0,
    nextAttemptAt: null,
    attempts: [],
    createdAt: at,
    updatedAt: at,
  };
}

function presentAttempt(attempt: Attempt): PresentedAttempt {
  return {
    n: attempt.n,
    at: attempt.at.toISOString(),
    trigger: attempt.trigger,
    status: attempt.status,
    errorClass: attempt.errorClass,
    detail: attempt.detail,
    ms: attempt.ms,
    responseSample: attempt.responseSample,
  };
}
