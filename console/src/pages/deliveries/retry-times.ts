// The remaining attempts of a delivery that has failed so far.
import type { Attempt } from '@agent-herald/client';
import { readWaitMs } from '../webhooks/retry-times.ts';

/** Returns the attempts since the delivery was last started by its event, a resend or a replay. */
export function attemptsOfRound<Row extends Pick<Attempt, 'trigger'>>(
  attempts: readonly Row[],
): readonly Row[] {
  const begin = attempts.findLastIndex(({ trigger }) => trigger !== 'retry');
  return attempts.slice(Math.max(0, begin));
}

interface Remaining {
  /** The number of attempts after the next one. */
  count: number;
  /** The time of the last attempt, if all fail. Each wait can be up to 15 % longer. */
  lastAt: Date;
}

/** Returns the attempts after the next one, given that the last of `made` attempts failed. */
export function remainingAttempts(
  schedule: readonly string[],
  made: number,
  nextAttemptAt: string,
): Remaining {
  const waits = schedule.slice(made);
  const waitMs = waits.reduce((sum, wait) => sum + (readWaitMs(wait) ?? 0), 0);
  return { count: waits.length, lastAt: new Date(Date.parse(nextAttemptAt) + waitMs) };
}
