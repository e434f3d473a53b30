import { attemptLimits } from '../limits.ts';
import type { DeliveryDocument } from '../model/delivery.ts';
import type { WebhookDocument } from '../model/webhook.ts';

export interface Rate {
  /** The ID of the document that counts its slots. */
  limiterId: string;
  perSecond: number;
}

type Rated = Pick<WebhookDocument, '_id' | 'ratePerSecond' | 'ratePerSecondPerTenant'>;

/** Returns the rate for requests of the event's tenant, or null. Events without a tenant share one. */
export function rateOf(
  { _id, ratePerSecond, ratePerSecondPerTenant }: Rated,
  { externalTenantId }: { externalTenantId: string },
): Rate | null {
  if (ratePerSecond !== null) return { limiterId: _id, perSecond: ratePerSecond };
  if (ratePerSecondPerTenant === null) return null;
  return { limiterId: `${_id}/${externalTenantId}`, perSecond: ratePerSecondPerTenant };
}

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
