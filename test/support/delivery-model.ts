// A model of a delivery: what each step makes of it, and whether the receiver gets a request.
import type { CancelReason } from '../../lib/model/cancel-reason.ts';
import { type DeliveryState, settledStates } from '../../lib/model/delivery-state.ts';

export interface Situation {
  /** Null before the first record. */
  state: DeliveryState | null;
  cancelReason: CancelReason | null;
  webhook: 'active' | 'paused' | 'deleted';
  /** Who sends it. */
  owner: 'event' | 'partition' | 'job';
  /** The place in a partition: an earlier number is open, it is the next, or it is settled. Null without order. */
  place: 'behind' | 'next' | 'settled' | null;
  /** Whether it was discarded since it was recorded or requested last. */
  isDiscarded: boolean;
}

/** Attempts by the owner when one is due, by what comes of the request, or of its wait for a permit. */
export const attempts = {
  'answered 200': 'delivered',
  'answered 410': 'exhausted',
  'answered 500': 'retrying',
  'answered 500 at the end of the schedule': 'exhausted',
  'address refused': 'blocked',
  throttled: null,
} as const satisfies Record<string, DeliveryState | null>;

export type AttemptStep = keyof typeof attempts;

export const otherSteps = [
  'asked by others than the owner',
  'earlier event gone',
  'paused',
  'resumed',
  'resumed and discarded',
  'webhook deleted',
  'resent',
  'held for too long',
] as const;

export type Step = AttemptStep | (typeof otherSteps)[number];

export const steps: readonly Step[] = [...(Object.keys(attempts) as AttemptStep[]), ...otherSteps];

export interface After {
  situation: Situation;
  requests: 0 | 1;
}

export const starts: readonly Situation[] = [null, 'next', 'behind'].map((place) => ({
  state: null,
  cancelReason: null,
  webhook: 'active',
  owner: place === null ? 'event' : 'partition',
  place: place as Situation['place'],
  isDiscarded: false,
}));

const isSettled = ({ state }: Situation): boolean =>
  (settledStates as readonly unknown[]).includes(state);

/** Returns what a step makes of a situation; null if it cannot happen there. */
export function after(before: Situation, step: Step): After | null {
  if (step in attempts) return attempted(before, step as AttemptStep);
  const situation = changed(before, step as (typeof otherSteps)[number]);
  return situation && { situation: normal(situation), requests: 0 };
}

function attempted(before: Situation, step: AttemptStep): After | null {
  if (before.owner === 'partition' && before.place === 'behind') return null;
  const unsent = isSettled(before) || before.state === 'held' ? before : unsentOf(before);
  // Where no request is made, one kind of attempt is enough.
  if (unsent !== null && step !== 'answered 200') return null;
  if (unsent !== null) return { situation: normal(drained(unsent)), requests: 0 };
  const state = attempts[step] ?? (before.state === 'retrying' ? 'retrying' : 'pending');
  const webhook = step === 'answered 410' ? 'paused' : before.webhook;
  const requests = step.startsWith('answered') ? 1 : 0;
  return { situation: normal(drained({ ...before, state, webhook })), requests };
}

/** The partition settles the number of a delivery that has ended. */
function drained(situation: Situation): Situation {
  const isDrained = situation.owner === 'partition' && isSettled(situation);
  return isDrained ? { ...situation, place: 'settled' } : situation;
}

/** Returns what is recorded instead of an attempt; null if one may be made. */
function unsentOf(before: Situation): Situation | null {
  if (before.webhook === 'deleted') return cancelled(before, 'webhook_deleted');
  if (before.isDiscarded) return cancelled(before, 'discarded');
  return before.webhook === 'paused' ? { ...before, state: 'held' } : null;
}

function cancelled(before: Situation, cancelReason: CancelReason): Situation {
  return { ...before, state: 'cancelled', cancelReason };
}

function changed(before: Situation, step: (typeof otherSteps)[number]): Situation | null {
  const { state, webhook, owner, place } = before;
  const isOpen = state !== null && !isSettled(before);
  switch (step) {
    case 'asked by others than the owner':
      // A job that never took it asks for no delivery without a record.
      if (state === null)
        return owner === 'event' ? null : (unsentOf(before) ?? { ...before, state: 'pending' });
      return before;
    case 'earlier event gone':
      return place === 'behind' ? { ...before, place: 'next' } : null;
    case 'paused':
      return webhook === 'active' ? { ...before, webhook: 'paused' } : null;
    case 'resumed':
    case 'resumed and discarded':
      if (webhook !== 'paused') return null;
      if (step === 'resumed') return released({ ...before, webhook: 'active' });
      return isOpen
        ? { ...cancelled(before, 'discarded'), webhook: 'active' }
        : { ...before, webhook: 'active', isDiscarded: true };
    case 'webhook deleted':
      if (webhook === 'deleted') return null;
      return { ...(isOpen ? cancelled(before, 'webhook_deleted') : before), webhook: 'deleted' };
    case 'resent':
      if (webhook === 'deleted') return before;
      return { ...before, state: 'pending', cancelReason: null, owner: 'job', isDiscarded: false };
    case 'held for too long':
      if (state === 'held') return cancelled(before, 'expired');
      return isOpen ? before : null;
  }
}

/** A held delivery goes to its partition if its number is not settled, otherwise to the release. */
function released(before: Situation): Situation {
  if (before.state !== 'held') return before;
  const isOrdered = before.place === 'next' || before.place === 'behind';
  return { ...before, state: 'pending', owner: isOrdered ? 'partition' : 'job' };
}

/** Drops what no later step can tell. */
function normal(situation: Situation): Situation {
  return isSettled(situation) ? { ...situation, isDiscarded: false } : situation;
}

/** Identifies a situation. */
export const nameOf = (situation: Situation): string => Object.values(situation).join(' ');
