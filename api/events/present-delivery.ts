import type { Attempt } from '../../lib/model/attempt.ts';
import type { DeliveryDocument } from '../../lib/model/delivery.ts';

export type ShownDelivery = Pick<
  DeliveryDocument,
  | 'eventId'
  | 'event'
  | 'webhookUid'
  | 'externalTenantId'
  | 'state'
  | 'cancelReason'
  | 'statusClass'
  | 'errorClass'
  | 'attemptCount'
  | 'nextAttemptAt'
  | 'attempts'
  | 'createdAt'
  | 'updatedAt'
>;

/** Returns a delivery as clients see it, with its latest attempts, oldest first. */
export function presentDelivery(delivery: ShownDelivery) {
  return {
    eventId: delivery.eventId,
    event: delivery.event,
    webhookUid: delivery.webhookUid,
    externalTenantId: delivery.externalTenantId,
    state: delivery.state,
    cancelReason: delivery.cancelReason,
    statusClass: delivery.statusClass,
    errorClass: delivery.errorClass,
    attemptCount: delivery.attemptCount,
    nextAttemptAt: delivery.nextAttemptAt?.toISOString() ?? null,
    attempts: delivery.attempts.map(presentAttempt),
    createdAt: delivery.createdAt.toISOString(),
    updatedAt: delivery.updatedAt.toISOString(),
  };
}

// Without the resolved address of the receiver.
function presentAttempt(attempt: Attempt) {
  return {
    n: attempt.n,
    at: attempt.at.toISOString(),
    trigger: attempt.trigger,
    state: attempt.state,
    status: attempt.status,
    errorClass: attempt.errorClass,
    detail: attempt.detail,
    ms: attempt.ms,
    responseSample: attempt.responseSample,
  };
}
