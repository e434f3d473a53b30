// Explains the state of a delivery, and what happens next, in plain words.
import type { Delivery, DeliveryDetail } from '@agent-herald/client';
import { formatDuration, formatLocal } from '../../parts/format-time.ts';
import { explainFailure } from './error-classes.ts';
import { attemptsOfRound, remainingAttempts } from './retry-times.ts';

type Facts = Pick<Delivery, 'state' | 'cancelReason' | 'attempts' | 'nextAttemptAt'> &
  Partial<Pick<DeliveryDetail, 'waitsFor'>>;

interface Circumstances {
  now: Date;
  /** The waits between attempts. Null if they are not known. */
  schedule: readonly string[] | null;
}

const cancelReasons: Readonly<Record<NonNullable<Delivery['cancelReason']>, string>> = {
  expired:
    'The webhook was paused, and this delivery was held for too long. Recover the webhook to send it.',
  discarded:
    'It was discarded when the webhook was resumed. To send it, resend it or replay discarded deliveries.',
  skipped:
    'Somebody skipped it, so that it is not sent. The audit log says who. To send it, resend it.',
  unsubscribed: 'The webhook was no longer subscribed to the event when the delivery was due.',
  webhook_deleted: 'The webhook was deleted. You can resend the event to another webhook.',
  erased: 'The payload was erased, so there is nothing left to send.',
  abandoned: 'It stayed open for longer than records are kept.',
};

const times = ['', 'once', 'twice', 'three times', 'four times', 'five times', 'six times'];
const timesOf = (count: number): string => times[count] ?? `${count} times`;

/** Returns how the latest attempts failed. Consecutive equal failures are combined. */
function failureOf({ attempts }: Facts): string {
  const round = attemptsOfRound(attempts);
  const last = round.at(-1);
  const failure = last === undefined ? null : explainFailure(last);
  if (failure === null || last === undefined) return '';
  const other = round.findLastIndex(
    ({ errorClass, status }) => errorClass !== last.errorClass || status !== last.status,
  );
  const alike = round.length - 1 - other;
  return alike === 1 ? `${failure.what}. ` : `${failure.what}, ${timesOf(alike)} in a row. `;
}

function nextOf({ attempts, nextAttemptAt }: Facts, { now, schedule }: Circumstances): string {
  if (nextAttemptAt === null) return 'The next attempt is running.';
  const waitMs = Date.parse(nextAttemptAt) - now.getTime();
  const next =
    waitMs < 1_000 ? 'The next attempt is due now' : `The next attempt is in ${inSeconds(waitMs)}`;
  if (schedule === null) return `${next}.`;
  const made = attemptsOfRound(attempts).length;
  const { count, lastAt } = remainingAttempts(schedule, made, nextAttemptAt);
  if (count === 0) return `${next}. It is the last attempt.`;
  const until = formatLocal(lastAt.toISOString(), now).slice(0, -3);
  return `${next}; ${count} more ${count === 1 ? 'follows' : 'follow'} until about ${until}.`;
}

// Whole seconds, so that a countdown does not flicker.
const inSeconds = (ms: number): string => formatDuration(Math.floor(ms / 1_000) * 1_000);

function deliveredOf({ attempts }: Facts): string {
  const last = attempts.at(-1);
  if (last === undefined) return 'The receiver accepted it.';
  const failures = attempts.filter(({ state }) => state !== 'delivered').length;
  const after = failures === 1 ? ', after one failure' : `, after ${failures} failures`;
  const which = last.n === 1 ? 'the first attempt' : `attempt ${last.n}`;
  return `The receiver responded with ${last.status} on ${which}${failures === 0 ? '' : after}.`;
}

function pendingOf({ attempts, nextAttemptAt, waitsFor }: Facts, { now }: Circumstances): string {
  const what = attempts.length === 0 ? 'for its first attempt' : 'to be sent again';
  const waitMs = nextAttemptAt === null ? 0 : Date.parse(nextAttemptAt) - now.getTime();
  if (waitsFor != null)
    return `Waiting ${what}. An earlier delivery of the same resource is ${waitsFor.state} and must end first:`;
  const rate = ` The webhook’s rate limit allows it in ${inSeconds(waitMs)}.`;
  return `Waiting ${what}.${waitMs > 0 ? rate : ''}`;
}

const meanings: Readonly<Record<Delivery['state'], (of: Facts, at: Circumstances) => string>> = {
  delivered: deliveredOf,
  pending: pendingOf,
  retrying: (of, at) => failureOf(of) + nextOf(of, at),
  exhausted: (of) =>
    of.attempts.at(-1)?.status === 410
      ? 'The receiver responded with 410 Gone, so the service deactivated the webhook. Correct the receiver or the URL, then recover.'
      : `${failureOf(of)}No attempts are left. Fix the receiver, then resend.`,
  held: () =>
    'The webhook is paused, or was just resumed. Held deliveries are sent after a resume.',
  blocked: (of) =>
    `${failureOf(of)}It will not be retried. Correct the URL of the webhook, then resend.`,
  cancelled: ({ cancelReason }) =>
    cancelReason === null ? 'It will not be sent.' : cancelReasons[cancelReason],
};

/** Returns the state of a delivery in one or two sentences. */
export function meaningOf(delivery: Facts, circumstances: Circumstances): string {
  return meanings[delivery.state](delivery, circumstances);
}
