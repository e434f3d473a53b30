// What a retry schedule makes of a delivery that failed so far.
import type { Attempt } from '@agent-herald/client';

const unitsMs: Readonly<Record<string, number>> = {
  ms: 1,
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
};

/** Reads a wait of a schedule, such as `1h30m`, in milliseconds. */
function readWaitMs(wait: string): number {
  const parts = [...wait.matchAll(/(\d+)(ms|s|m|h|d)/g)];
  return parts.reduce((sum, [, count, unit = '']) => sum + Number(count) * (unitsMs[unit] ?? 0), 0);
}

/** Returns the attempts since the delivery was last sent anew, by its event, a resend or a replay. */
export function attemptsOfRound<Row extends Pick<Attempt, 'trigger'>>(
  attempts: readonly Row[],
): readonly Row[] {
  const begin = attempts.findLastIndex(({ trigger }) => trigger !== 'retry');
  return attempts.slice(Math.max(0, begin));
}

export interface Remaining {
  /** The attempts behind the next one. */
  count: number;
  /** When the last of them is made, if none of them succeeds; each wait may be up to 15 % longer. */
  lastAt: Date;
}

/** Returns what follows the next attempt, the last of `made` attempts having failed. */
export function remainingAttempts(
  schedule: readonly string[],
  made: number,
  nextAttemptAt: string,
): Remaining {
  const waits = schedule.slice(made).map(readWaitMs);
  const waitMs = waits.reduce((sum, one) => sum + one, 0);
  return { count: waits.length, lastAt: new Date(Date.parse(nextAttemptAt) + waitMs) };
}
