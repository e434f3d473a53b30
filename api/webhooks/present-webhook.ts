// A webhook as clients see it; the secret is not part of it.
import type { WebhookDocument } from '../../lib/store/webhooks.ts';

export interface PresentedWebhook {
  uid: string;
  url: string;
  entities: string[];
  active: boolean;
  disabledReason: string | null;
  createdAt: string;
  updatedAt: string;
  lastTriggeredAt: string | null;
}

/** Gives a webhook's public fields (spec, "Webhook"). */
export function presentWebhook(webhook: WebhookDocument): PresentedWebhook {
  return {
    uid: webhook._id,
    url: webhook.url,
    entities: webhook.entities,
    active: webhook.active,
    disabledReason: webhook.disabledReason,
    createdAt: webhook.createdAt.toISOString(),
    updatedAt: webhook.updatedAt.toISOString(),
    lastTriggeredAt: webhook.lastTriggeredAt?.toISOString() ?? null,
  };
}
