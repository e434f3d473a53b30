// Problems of a webhook, and what to do about them.
import type { Webhook } from '@agent-herald/client';

type Health = Pick<Webhook, 'active' | 'disabledReason' | 'failingSince' | 'deactivationWarning'>;

export interface Advice {
  color: 'red' | 'yellow' | 'grape';
  title: string;
  /** One sentence per step. */
  steps: readonly string[];
}

/** Returns the advice for an operator, or null if nothing is wrong. `heldFor` is how long a pause holds deliveries. */
export function adviceFor(webhook: Health, heldFor: string): Advice | null {
  const { active, disabledReason, failingSince, deactivationWarning } = webhook;
  const held = `Its deliveries are held. After ${heldFor}, use Recover to send them.`;
  if (!active && disabledReason === 'gone') {
    const title = 'This webhook was deactivated: its receiver responded with 410 Gone';
    const step = 'Correct the receiver or the URL, then recover; or delete the webhook.';
    return { color: 'red', title, steps: [held, step] };
  }
  if (!active && disabledReason === 'failing') {
    const title = 'This webhook was deactivated: all attempts failed for days';
    const step = 'Fix the receiver, then recover: it resumes the webhook and sends deliveries.';
    return { color: 'red', title, steps: [held, step] };
  }
  if (!active) return { color: 'grape', title: 'This webhook is paused', steps: [held] };
  if (failingSince === null) return null;
  return {
    color: deactivationWarning === 'soon' ? 'red' : 'yellow',
    title: 'This webhook is failing',
    steps: ['Fix the receiver, then test it. After a success, send what waits.'],
  };
}
