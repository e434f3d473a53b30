import type { Webhook } from '@agent-herald/client';

export const webhookStates = ['active', 'failing', 'paused', 'deactivated'] as const;

/** Returns the state of a webhook in a word, with its colour. */
export function stateOf(webhook: Pick<Webhook, 'active' | 'disabledReason' | 'failingSince'>): {
  name: (typeof webhookStates)[number];
  color: string;
} {
  if (!webhook.active && webhook.disabledReason !== null)
    return { name: 'deactivated', color: 'red' };
  if (!webhook.active) return { name: 'paused', color: 'grape' };
  if (webhook.failingSince !== null) return { name: 'failing', color: 'yellow' };
  return { name: 'active', color: 'teal' };
}
