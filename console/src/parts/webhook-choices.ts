import type { Webhook } from '@agent-herald/client';
import { webhookLabel } from '../api/webhooks.ts';
import type { Choice } from './filters.tsx';
import { visibleText } from './visible-text.ts';

/** Returns the webhooks as the options of a field, which are found by their URL, too. */
export function webhookChoices(webhooks: readonly Webhook[]): Choice[] {
  return webhooks.map((webhook) => ({
    value: webhook.uid,
    label: visibleText(webhookLabel(webhook)),
    also: webhook.url,
  }));
}
