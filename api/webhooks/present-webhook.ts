// A webhook as clients see it; its secrets are not part of it.
import { formatSchedule } from '../../lib/deliveries/retry-schedule.ts';
import type { WebhookDocument } from '../../lib/model/webhook.ts';
import { countHeld } from '../../lib/deliveries/held-counts.ts';
import type { ApiContext } from '../context.ts';

/** How near a failing webhook is to being paused: half of its time is over, or 80 % of it. */
export type DeactivationWarning = 'half' | 'soon';

export interface PresentedWebhook {
  uid: string;
  url: string;
  entities: string[];
  events: string[] | null;
  externalTenantIds: string[] | null;
  retrySchedule: string[] | null;
  ordering: string;
  active: boolean;
  disabledReason: string | null;
  failingSince: string | null;
  deactivatesAt: string | null;
  deactivationWarning: DeactivationWarning | null;
  previousSecretExpiresAt: string | null;
  /** How many deliveries wait for it to be resumed; counting stops at 10,000. */
  heldCount: number;
  createdAt: string;
  updatedAt: string;
  lastTriggeredAt: string | null;
}

export interface WebhookView {
  now: Date;
  /** How long a webhook may fail before it is paused, in milliseconds. */
  deactivateAfterMs: number;
}

/** Gives a webhook's public fields (docs/api.md, "Webhooks"). */
export function presentWebhook(
  webhook: WebhookDocument,
  view: WebhookView,
  heldCount: number,
): PresentedWebhook {
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
): Pick<PresentedWebhook, 'failingSince' | 'deactivatesAt' | 'deactivationWarning'> {
  if (failingSince === null) {
    return { failingSince: null, deactivatesAt: null, deactivationWarning: null };
  }
  const share = (now.getTime() - failingSince.getTime()) / deactivateAfterMs;
  const deactivatesAt = new Date(failingSince.getTime() + deactivateAfterMs).toISOString();
  return {
    failingSince: failingSince.toISOString(),
    deactivatesAt: active ? deactivatesAt : null,
    deactivationWarning: !active || share < 0.5 ? null : share < 0.8 ? 'half' : 'soon',
  };
}

/** The view of a process at this moment. */
export function viewNow(context: ApiContext): WebhookView {
  return { now: context.clock.now(), deactivateAfterMs: context.config.deactivateAfterMs };
}

/** Gives a stored webhook's public fields, with what it holds. */
export async function showWebhook(
  context: ApiContext,
  webhook: WebhookDocument,
): Promise<PresentedWebhook> {
  return presentWebhook(webhook, viewNow(context), await countHeld(context.store, webhook));
}
