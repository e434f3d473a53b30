import type { RecentEvent } from '../../lib/history/in-flight.ts';
import type { ShownDelivery } from './present-delivery.ts';

/** Returns a delivery that has not been written yet. */
export function pendingDelivery(
  { _id: eventId, event, externalTenantId, createdAt }: RecentEvent,
  webhookUid: string,
): ShownDelivery {
  return {
    eventId,
    event,
    webhookUid,
    externalTenantId,
    state: 'pending',
    cancelReason: null,
    statusClass: null,
    errorClass: null,
    attemptCount: 0,
    nextAttemptAt: null,
    attempts: [],
    createdAt,
    updatedAt: createdAt,
  };
}
