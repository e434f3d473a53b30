import { deliveryLog } from '../platform/logger.ts';
import type { Attempt } from '../model/attempt.ts';
import type { EventToAttempt } from '../model/event.ts';
import type { DisabledReason, Notified, WebhookDocument } from '../model/webhook.ts';
import type { ToldAttempt } from '../webhooks/notices.ts';
import {
  deactivateGoneWebhook,
  type FailedAttempt,
  recordFailure,
  recordSuccess,
  tellExhausted,
} from '../webhooks/webhook-health.ts';
import type { Verdict } from './classify-response.ts';
import type { DeliveryPorts } from './ports.ts';

interface HealthFacts {
  event: EventToAttempt;
  webhook: WebhookDocument;
  verdict: Verdict;
  attempt: Attempt;
  now: Date;
}

/** Records what an attempt says of its webhook; of a healthy one that answered, nothing is written. */
export async function recordHealth(
  { store, deactivateAfterMs }: Pick<DeliveryPorts, 'store' | 'deactivateAfterMs'>,
  facts: HealthFacts,
): Promise<void> {
  const { webhook, verdict, now: at } = facts;
  const attempt = toTold(facts);
  if (verdict.state === 'delivered') {
    if (await recordSuccess(store, webhook, { at, attempt })) log(facts, { told: 'recovered' });
    return;
  }
  const exhausted = verdict.state === 'exhausted';
  const failure: FailedAttempt = { at, exhausted, deactivateAfterMs, attempt };
  if (!verdict.gone) {
    const told = await recordFailure(store, webhook, failure);
    if (told !== null) log(facts, { told, disabledReason: 'failing' });
  } else if (await deactivateGoneWebhook(store, webhook, failure)) {
    log(facts, { told: 'deactivated', disabledReason: 'gone' });
  }
  if (exhausted) await tellExhausted(store, webhook, failure);
}

function toTold({ event, attempt }: HealthFacts): ToldAttempt {
  const { n, at, status, errorClass, detail } = attempt;
  return { eventId: event._id, event: event.event, n, at, status, errorClass, detail };
}

function log(
  { event, webhook }: HealthFacts,
  { told, disabledReason }: { told: Notified | 'recovered'; disabledReason?: DisabledReason },
): void {
  const key = { appUid: webhook.appUid, webhookUid: webhook._id, eventId: event._id };
  const isPaused = told === 'deactivated';
  deliveryLog[told === 'recovered' ? 'info' : 'warn'](
    { ...key, ...(isPaused ? { disabledReason } : {}) },
    `webhook.${told}`,
  );
}
