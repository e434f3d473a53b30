// What is wrong with a webhook, and what to do about it.
import type { Webhook } from '@agent-herald/client';

type Health = Pick<
  Webhook,
  'active' | 'disabledReason' | 'failingSince' | 'deactivationWarning' | 'heldCount'
>;

export interface Advice {
  color: 'red' | 'yellow' | 'grape';
  title: string;
  /** A sentence each. */
  steps: readonly string[];
}

const heldTooLong =
  'What is held for too long, 3 days unless your operators have set another time, is not sent any more; Recover still sends it.';

/** Returns what an operator should know and do; null where nothing is wrong. */
export function adviceFor({
  active,
  disabledReason,
  failingSince,
  deactivationWarning,
}: Health): Advice | null {
  if (!active && disabledReason === 'gone') {
    return {
      color: 'red',
      title: 'The service has paused it: the receiver answered 410 Gone',
      steps: [
        'Its events are held.',
        'Correct the URL in the settings, or delete the webhook.',
        'Then resume it.',
        heldTooLong,
      ],
    };
  }
  if (!active && disabledReason === 'failing') {
    return {
      color: 'red',
      title: 'The service has paused it: all attempts have failed for days',
      steps: [
        'Its events are held.',
        'Repair the receiver.',
        'Then resume it, and recover what was lost.',
        heldTooLong,
      ],
    };
  }
  if (!active)
    return {
      color: 'grape',
      title: 'It is paused',
      steps: ['Its events are held until you resume it.', heldTooLong],
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
