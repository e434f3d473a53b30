import { attemptLimits } from '../limits.ts';
import type { DeliveryDocument } from '../model/delivery.ts';

export type RateLimited = Pick<DeliveryDocument, 'isRateLimited' | 'nextAttemptAt' | 'updatedAt'>;

/**
 * Checks whether a delivery may use the slot it waited for. A slot is void more than a second later, so that nothing
 * bursts after an outage, and if the webhook was changed after the reservation.
 */
export function hasSlot(
  delivery: RateLimited | null,
  { webhookUpdatedAt, now }: { webhookUpdatedAt: Date; now: Date },
): boolean {
  if (delivery === null || !delivery.isRateLimited || delivery.nextAttemptAt === null) return false;
  const lateMs = now.getTime() - delivery.nextAttemptAt.getTime();
  return lateMs <= attemptLimits.rateWaitMsMax && webhookUpdatedAt <= delivery.updatedAt;
}
