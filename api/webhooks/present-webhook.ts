import { formatSchedule } from '../../lib/deliveries/retry-schedule.ts';
import type { WebhookDocument } from '../../lib/model/webhook.ts';
import { countHeld } from '../../lib/deliveries/held-counts.ts';
import type { ApiContext } from '../context.ts';

type WebhookView = ReturnType<typeof viewNow>;

/** Returns a webhook as clients see it, without its secrets (docs/api.md, "Webhooks"). */
export function presentWebhook(webhook: WebhookDocument, view: WebhookView, heldCount: number) {
  const { previousSecret, retryScheduleMs } = webhook;
  const rotates = previousSecret !== null && previousSecret.until > view.now;
  return {
    uid: webhook._id,
    url: webhook.url,
    entities: webhook.entities,
    events: webhook.events,
    externalTenantIds: webhook.externalTenantIds,
    retrySchedule: retryScheduleMs === null ? null : formatSchedule(retryScheduleMs),
    ordering: webhook.ordering,
    active: webhook.active,
    disabledReason: webhook.disabledReason,
    ...presentFailing(webhook, view),
    previousSecretExpiresAt: rotates ? previousSecret.until.toISOString() : null,
    heldCount,
    createdAt: webhook.createdAt.toISOString(),
    updatedAt: webhook.updatedAt.toISOString(),
    lastTriggeredAt: webhook.lastTriggeredAt?.toISOString() ?? null,
  };
}

function presentFailing(
  { active, failingSince }: WebhookDocument,
  { now, deactivateAfterMs }: WebhookView,
) {
  if (failingSince === null)
    return { failingSince, deactivatesAt: null, deactivationWarning: null };
  const share = (now.getTime() - failingSince.getTime()) / deactivateAfterMs;
  const deactivatesAt = new Date(failingSince.getTime() + deactivateAfterMs).toISOString();
  return {
    failingSince: failingSince.toISOString(),
    deactivatesAt: active ? deactivatesAt : null,
    deactivationWarning: !active || share < 0.5 ? null : share < 0.8 ? 'half' : 'soon',
  };
}

export function viewNow(context: ApiContext) {
  return { now: context.clock.now(), deactivateAfterMs: context.config.deactivateAfterMs };
}

export async function showWebhook(context: ApiContext, webhook: WebhookDocument) {
  return presentWebhook(webhook, viewNow(context), await countHeld(context.store, webhook));
}
