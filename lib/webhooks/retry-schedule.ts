import { limits } from '../limits.ts';
import { invalidDuration, readDurationMs, writeDuration } from '../platform/duration.ts';

/** The waits between 12 attempts (docs/webhooks.md, "Retries"). */
export const defaultRetryScheduleMs: readonly number[] = parseSchedule(
  '5s 30s 2m 10m 30m 2h 5h 10h 14h 20h 1d'.split(' '),
);

/** An invalid schedule. `index` is that of the invalid wait, or null for the whole schedule. */
export class ScheduleFault extends Error {
  readonly code: 'duration' | 'wait_too_short' | 'maxItems' | 'schedule_too_long';
  readonly index: number | null;

  constructor(code: ScheduleFault['code'], message: string, index: number | null = null) {
    super(message);
    this.name = 'ScheduleFault';
    this.code = code;
    this.index = index;
  }
}

/** Parses waits such as `30s` to ms; at least 1 s, the resolution of Temporal's timers. Throws a `ScheduleFault`. */
export function parseSchedule(waits: readonly string[]): number[] {
  if (waits.length > limits.retryStepsMax) {
    const message = `must have at most ${limits.retryStepsMax} waits (got ${waits.length})`;
    // Only settings reach this check: the schema of the API rejects longer schedules itself.
    throw new ScheduleFault('maxItems', message);
  }
  const scheduleMs = waits.map(parseWait);
  const totalMs = scheduleMs.reduce((sum, waitMs) => sum + waitMs, 0);
  if (totalMs <= limits.retryScheduleMsMax) return scheduleMs;
  throw new ScheduleFault('schedule_too_long', 'must add up to at most 7 days');
}

function parseWait(text: string, index: number): number {
  const waitMs = readDurationMs(text);
  if (waitMs === null) throw new ScheduleFault('duration', invalidDuration(text), index);
  if (waitMs >= limits.retryWaitMsMin) return waitMs;
  const message = `each wait must be at least 1s (got "${text}")`;
  throw new ScheduleFault('wait_too_short', message, index);
}

export function formatSchedule(scheduleMs: readonly number[]): string[] {
  return scheduleMs.map(writeDuration);
}
