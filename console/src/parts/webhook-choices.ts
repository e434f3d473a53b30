import type { Webhook } from '@agent-herald/client';
import { webhookLabel } from '../api/webhooks.ts';
import { visibleText } from './visible-text.ts';

/** Returns the webhooks as the options of a field. */
export function webhookChoices(webhooks: readonly Webhook[]): { value: string; label: string }[] {
  return webhooks.map((webhook) => ({
    value: webhook.uid,
    label: visibleText(webhookLabel(webhook)),
  }));
}
