// What a retry schedule makes of a delivery that failed so far.
import type { Attempt } from '@agent-herald/client';
import { readWaitMs } from '../webhooks/retry-times.ts';

/** Returns the attempts since the delivery was last sent anew, by its event, a resend or a replay. */
export function attemptsOfRound<Row extends Pick<Attempt, 'trigger'>>(
  attempts: readonly Row[],
): readonly Row[] {
  const begin = attempts.findLastIndex(({ trigger }) => trigger !== 'retry');
  return attempts.slice(Math.max(0, begin));
}

interface Remaining {
  /** The attempts behind the next one. */
  count: number;
  /** When the last of them is made, if none of them succeeds; each wait may be up to 15% longer. */
  lastAt: Date;
}

/** Returns what follows the next attempt, the last of `made` attempts having failed. */
export function remainingAttempts(
  schedule: readonly string[],
  made: number,
  nextAttemptAt: string,
): Remaining {
  const waits = schedule.slice(made);
  const waitMs = waits.reduce((sum, wait) => sum + (readWaitMs(wait) ?? 0), 0);
  return { count: waits.length, lastAt: new Date(Date.parse(nextAttemptAt) + waitMs) };
}
