// What is wrong with a webhook, and what to do about it.
import type { Webhook } from '@agent-herald/client';

type Health = Pick<Webhook, 'active' | 'disabledReason' | 'failingSince' | 'deactivationWarning'>;

interface Advice {
  color: 'red' | 'yellow' | 'grape';
  title: string;
  /** A sentence each. */
  steps: readonly string[];
}

/** Returns what an operator should know and do; null where nothing is wrong. `heldFor`: how long a pause holds. */
export function adviceFor(webhook: Health, heldFor: string): Advice | null {
  const { active, disabledReason, failingSince, deactivationWarning } = webhook;
  const held = `Its events are held. After ${heldFor} they are not sent by a resume any more, but by Recover.`;
  if (!active && disabledReason === 'gone') {
    return {
      color: 'red',
      title: 'The service has paused it: the receiver answered 410 Gone',
      steps: [held, 'Correct the URL in the settings, or delete the webhook.', 'Then resume it.'],
    };
  }
  if (!active && disabledReason === 'failing') {
    return {
      color: 'red',
      title: 'The service has paused it: all attempts have failed for days',
      steps: [held, 'Repair the receiver.', 'Then resume it, and recover what was lost.'],
    };
  }
  if (!active)
    return {
      color: 'grape',
      title: 'It is paused',
      steps: [held],
    };
  if (failingSince === null) return null;
  return {
    color: deactivationWarning === 'soon' ? 'red' : 'yellow',
    title: 'It is failing: nothing has succeeded since the first failure',
    steps: [
      'Look at the latest deliveries below: they say what the receiver answers.',
      'Repair the receiver, then send a test event: one success ends this.',
    ],
  };
}
