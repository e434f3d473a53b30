import { limits } from '../limits.ts';
import {
  hourMs,
  invalidDuration,
  minuteMs,
  readDurationMs,
  secondMs,
  writeDuration,
} from '../platform/duration.ts';

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

const jitterShareMax = 0.15;
const retryAfterCeilingMs = hourMs;

interface RetryInput {
  scheduleMs: readonly number[];
  /** Including the one that just failed. */
  attemptsMade: number;
  retryAfterMs: number | null;
  /** From 0 to 1, for the jitter. */
  random: number;
}

/**
 * Returns the wait before the next attempt in whole milliseconds, or null if none is left. Jitter only adds, 0 to 15 %.
 * A `Retry-After` applies from the scheduled wait up to twice it, or one hour if longer, jitter included.
 */
export function nextRetryDelayMs(input: RetryInput): number | null {
  const { scheduleMs, attemptsMade, retryAfterMs, random } = input;
  const scheduledMs = scheduleMs[attemptsMade - 1];
  if (scheduledMs === undefined) return null;
  const jitter = 1 + jitterShareMax * random;
  if (retryAfterMs === null) return Math.round(scheduledMs * jitter);
  const longestMs = Math.max(2 * scheduledMs, retryAfterCeilingMs);
  const requestedMs = Math.max(retryAfterMs, scheduledMs);
  return Math.round(Math.min(requestedMs * jitter, longestMs));
}

const throttledMsMin = 5 * secondMs;
const throttledMsMax = minuteMs;

/**
 * Returns the wait before a throttled attempt tries again, in whole milliseconds: about 5 s at first, doubling to a
 * minute, ± half by `random`. By the time since it was due: the count of calls includes scheduled retries.
 */
export function throttledDelayMs(dueForMs: number, random: number): number {
  const waitMs = Math.min(throttledMsMax, throttledMsMin + Math.max(0, dueForMs));
  return Math.round(waitMs * (0.5 + random));
}

/** Parses a `Retry-After` (RFC 9110 §10.2.3) to milliseconds from `now`, at least 0; null if absent or unreadable. */
export function parseRetryAfterMs(header: string | null, now: Date): number | null {
  if (header === null) return null;
  const text = header.trim();
  if (/^\d+$/.test(text)) return Number(text) * secondMs;
  // An HTTP date begins with a weekday; `Date.parse` alone would accept "-5" or "2026".
  if (!/^[A-Z][a-z]{2,8},? /.test(text)) return null;
  // The asctime form has no zone and is in UTC (RFC 9110 §5.6.7), not in local time.
  const at = Date.parse(/(?:[A-Z]|[+-]\d{4})$/.test(text) ? text : `${text} GMT`);
  return Number.isNaN(at) ? null : Math.max(0, at - now.getTime());
}
