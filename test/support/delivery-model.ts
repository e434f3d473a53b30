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
  /** Its number in a partition: an earlier one is open, it is the next, or it is settled. Null without order. */
  number: 'behind' | 'next' | 'settled' | null;
  /** Whether it was discarded since it was recorded or requested last. */
  isDiscarded: boolean;
  /** Whether the payload was erased. It is never sent again. */
  isErased: boolean;
}

/** Attempts by the owner when one is due, by the result of the request, or of the wait for a permit. */
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
  'called by another than the owner',
  'earlier event gone',
  'paused',
  'resumed',
  'resumed and discarded',
  'webhook deleted',
  'resent',
  'replayed',
  'skipped',
  'erased',
  'held for too long',
  'untouched for the whole retention',
] as const;

export type Step = AttemptStep | (typeof otherSteps)[number];

export const steps: readonly Step[] = [...(Object.keys(attempts) as AttemptStep[]), ...otherSteps];

export interface After {
  situation: Situation;
  requests: 0 | 1;
}

export const starts: readonly Situation[] = [null, 'next', 'behind'].map((number) => ({
  state: null,
  cancelReason: null,
  webhook: 'active',
  owner: number === null ? 'event' : 'partition',
  number: number as Situation['number'],
  isDiscarded: false,
  isErased: false,
}));

const settled: readonly unknown[] = settledStates;
export const isSettled = ({ state }: Situation): boolean => settled.includes(state);

/** Returns what a step makes of a situation; null if it cannot happen there. */
export function after(before: Situation, step: Step): After | null {
  if (step in attempts) return attempted(before, step as AttemptStep);
  const situation = changed(before, step as (typeof otherSteps)[number]);
  return situation && { situation: normal(situation), requests: 0 };
}

function attempted(before: Situation, step: AttemptStep): After | null {
  if (before.owner === 'partition' && before.number === 'behind') return null;
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
  return isDrained ? { ...situation, number: 'settled' } : situation;
}

/** Returns what is recorded instead of an attempt; null if one may be made. */
function unsentOf(before: Situation): Situation | null {
  if (before.isErased) return cancelled(before, 'erased');
  if (before.webhook === 'deleted') return cancelled(before, 'webhook_deleted');
  if (before.isDiscarded) return cancelled(before, 'discarded');
  return before.webhook === 'paused' ? { ...before, state: 'held' } : null;
}

function cancelled(before: Situation, cancelReason: CancelReason): Situation {
  return { ...before, state: 'cancelled', cancelReason };
}

function changed(before: Situation, step: (typeof otherSteps)[number]): Situation | null {
  const { state, webhook, owner, number } = before;
  const isOpen = state !== null && !isSettled(before);
  switch (step) {
    case 'called by another than the owner':
      if (state !== null) return before;
      // A job without the delivery never calls before the first record.
      return owner === 'event' ? null : (unsentOf(before) ?? { ...before, state: 'pending' });
    case 'earlier event gone':
      return number === 'behind' ? { ...before, number: 'next' } : null;
    case 'paused':
      return webhook === 'active' ? { ...before, webhook: 'paused' } : null;
    case 'resumed':
    case 'resumed and discarded':
      if (webhook !== 'paused') return null;
      if (step === 'resumed') return released({ ...before, webhook: 'active' });
      if (isOpen) return { ...cancelled(before, 'discarded'), webhook: 'active' };
      return { ...before, webhook: 'active', isDiscarded: true };
    case 'webhook deleted':
      if (webhook === 'deleted') return null;
      return { ...(isOpen ? cancelled(before, 'webhook_deleted') : before), webhook: 'deleted' };
    case 'resent':
      return isSendable(before) ? requeued(before) : before;
    case 'replayed':
      return isSendable(before) && state !== null ? replayed(before) : before;
    case 'skipped':
      return isOpen || state === null ? cancelled(before, 'skipped') : before;
    case 'erased':
      return { ...(isOpen ? cancelled(before, 'erased') : before), isErased: true };
    case 'held for too long':
      if (state === 'held') return cancelled(before, 'expired');
      return isOpen ? before : null;
    case 'untouched for the whole retention':
      break;
  }
  return isOpen ? cancelled(before, state === 'held' ? 'expired' : 'abandoned') : null;
}

export const isSendable = (at: Situation): boolean => at.webhook !== 'deleted' && !at.isErased;

function requeued(before: Situation): Situation {
  return { ...before, state: 'pending', cancelReason: null, owner: 'job', isDiscarded: false };
}

/** A replay keeps the order: the delivery gets a new number if its own has passed. */
function replayed(before: Situation): Situation {
  const number = before.number === 'settled' ? 'next' : before.number;
  return { ...requeued(before), owner: number === null ? 'job' : 'partition', number };
}

/** A held delivery goes to its partition if its number is not settled, otherwise to the release. */
function released(before: Situation): Situation {
  if (before.state !== 'held') return before;
  const isOrdered = before.number === 'next' || before.number === 'behind';
  return { ...before, state: 'pending', owner: isOrdered ? 'partition' : 'job' };
}

/** Drops facts that no later step depends on. */
function normal(before: Situation): Situation {
  if (!isSettled(before)) return before;
  const ended = { ...before, isDiscarded: false };
  if (isSendable(before)) return ended;
  const webhook = before.isErased ? 'active' : before.webhook;
  return { ...ended, webhook, owner: 'event', number: null };
}
