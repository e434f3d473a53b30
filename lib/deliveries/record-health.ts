import { deliveryLog } from '../platform/logger.ts';
import type { DeliveryKey } from '../model/delivery.ts';
import type { DisabledReason, WebhookDocument } from '../model/webhook.ts';
import { deactivateGoneWebhook, recordFailure, recordSuccess } from '../webhooks/webhook-health.ts';
import type { Verdict } from './classify-response.ts';
import type { DeliveryPorts } from './ports.ts';

export async function recordHealth(
  { store, deactivateAfterMs }: Pick<DeliveryPorts, 'store' | 'deactivateAfterMs'>,
  facts: { key: DeliveryKey; webhook: WebhookDocument; verdict: Verdict; now: Date },
): Promise<void> {
  const { key, webhook, verdict, now } = facts;
  if (verdict.gone) {
    if (await deactivateGoneWebhook(store, webhook, now)) logDeactivated(key, 'gone');
  } else if (verdict.state === 'delivered') {
    await recordSuccess(store, webhook);
  } else {
    const exhausted = verdict.state === 'exhausted';
    const paused = await recordFailure(store, webhook, { at: now, exhausted, deactivateAfterMs });
    if (paused) logDeactivated(key, 'failing');
  }
}

function logDeactivated(key: DeliveryKey, disabledReason: DisabledReason): void {
  deliveryLog.warn({ ...key, disabledReason }, 'webhook.deactivated');
}
