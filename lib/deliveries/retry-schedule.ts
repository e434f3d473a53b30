// When a delivery is tried again: a pure function of the schedule and the attempts made.
import {
  dayMs,
  hourMs,
  minuteMs,
  noDuration,
  readDurationMs,
  secondMs,
  writeDuration,
} from '../platform/duration.ts';

/** The waits between attempts (docs/webhooks.md, "Retries"): 11, so 12 attempts, over about three days. */
export const defaultRetryScheduleMs: readonly number[] = [
  5 * secondMs,
  30 * secondMs,
  2 * minuteMs,
  10 * minuteMs,
  30 * minuteMs,
  2 * hourMs,
  5 * hourMs,
  10 * hourMs,
  14 * hourMs,
  20 * hourMs,
  dayMs,
];

/** Limits of a schedule that settings or a webhook may ask for. */
export const retryStepsMax = 20;
const retryWaitMinMs = secondMs;
const retryScheduleMaxMs = 7 * dayMs;

/** What is wrong with a schedule, and with which of its waits; null where it is with all together. */
export class ScheduleFault extends Error {
  readonly code: 'duration' | 'wait_too_short' | 'too_many_waits' | 'schedule_too_long';
  readonly index: number | null;

  constructor(code: ScheduleFault['code'], message: string, index: number | null = null) {
    super(message);
    this.name = 'ScheduleFault';
    this.code = code;
    this.index = index;
  }
}

/**
 * Reads a schedule: its waits, such as `30s` or `2h`, in milliseconds. Throws a `ScheduleFault`. A
 * wait of less than a second would not be kept: Temporal's timers tick in seconds.
 */
export function parseSchedule(waits: readonly string[]): number[] {
  if (waits.length > retryStepsMax) {
    const message = `must have at most ${retryStepsMax} waits (got ${waits.length})`;
    // Of the settings alone: the API's schema refuses as many with a fault of its own.
    throw new ScheduleFault('too_many_waits', message);
  }
  const scheduleMs = waits.map(parseWait);
  const totalMs = scheduleMs.reduce((sum, waitMs) => sum + waitMs, 0);
  if (totalMs <= retryScheduleMaxMs) return scheduleMs;
  throw new ScheduleFault('schedule_too_long', 'must take at most 7 days in all');
}

function parseWait(text: string, index: number): number {
  const waitMs = readDurationMs(text);
  if (waitMs === null) throw new ScheduleFault('duration', noDuration(text), index);
  if (waitMs >= retryWaitMinMs) return waitMs;
  const message = `each wait must be at least 1s (got "${text}")`;
  throw new ScheduleFault('wait_too_short', message, index);
}

/** Writes a schedule as it is read: `30s`, `2h`; the largest unit that fits each wait. */
export function formatSchedule(scheduleMs: readonly number[]): string[] {
  return scheduleMs.map(writeDuration);
}

const jitterShareMax = 0.15;
const retryAfterCeilingMs = hourMs;

export interface RetryQuestion {
  scheduleMs: readonly number[];
  /** How many attempts have been made, the one that just failed included. */
  attemptsMade: number;
  /** What the receiver asked for with `Retry-After`, or null. */
  retryAfterMs: number | null;
  /** A number from 0 up to 1 that spreads receivers' retries. */
  random: number;
}

/**
 * Gives the wait before the next attempt in whole milliseconds, or null when none is left.
 * The jitter only ever adds, 0 to 15 %, so no attempt comes before its scheduled time. A
 * `Retry-After` is honoured from the scheduled wait up to twice it, or one hour if that is longer;
 * the jitter does not go beyond that either.
 */
export function nextRetryDelayMs(question: RetryQuestion): number | null {
  const scheduledMs = question.scheduleMs[question.attemptsMade - 1];
  if (scheduledMs === undefined) return null;
  const jitter = 1 + jitterShareMax * question.random;
  if (question.retryAfterMs === null) return Math.round(scheduledMs * jitter);
  const longestMs = Math.max(2 * scheduledMs, retryAfterCeilingMs);
  const askedMs = Math.max(question.retryAfterMs, scheduledMs);
  return Math.round(Math.min(askedMs * jitter, longestMs));
}

const throttledMsMin = 5 * secondMs;
const throttledMsMax = minuteMs;

/**
 * Returns the wait in whole milliseconds before a throttled attempt that has been due for so long asks
 * again: about 5 s at first, doubling to a minute. Not by the count of calls: it also counts the retries
 * of the schedule. `random`, from 0 up to 1, spreads each wait by half either way.
 */
export function throttledDelayMs(dueForMs: number, random: number): number {
  // Waits of 5, 10, 20 s and so on: each is all of those before it, and 5 s.
  const waitMs = Math.min(throttledMsMax, throttledMsMin + Math.max(0, dueForMs));
  return Math.round(waitMs * (0.5 + random));
}

/**
 * Reads a `Retry-After` header: whole seconds, or an HTTP date (RFC 9110 §10.2.3).
 * Gives milliseconds from `now` on, never negative, or null when the header is absent or unreadable.
 */
export function parseRetryAfterMs(header: string | null, now: Date): number | null {
  if (header === null) return null;
  const text = header.trim();
  if (/^\d{1,9}$/.test(text)) return Number(text) * secondMs;
  // Only a date that names its weekday is an HTTP date; Date.parse alone would take "-5" or "2026".
  if (!/^[A-Z][a-z]{2,8},? /.test(text)) return null;
  // The form of asctime names no zone and is in UTC (RFC 9110 §5.6.7), not in that of this machine.
  const at = Date.parse(/(?:[A-Z]|[+-]\d{4})$/.test(text) ? text : `${text} GMT`);
  return Number.isNaN(at) ? null : Math.max(0, at - now.getTime());
}
