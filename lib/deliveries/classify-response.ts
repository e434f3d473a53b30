import type { AttemptState, ErrorClass } from '../model/attempt.ts';
import type { SendResult } from '../egress/sender.ts';
import { hourMs, minuteMs, secondMs } from '../platform/duration.ts';

interface ClassifyOptions {
  scheduleMs: readonly number[];
  /** Including this one. */
  attemptsMade: number;
  now: Date;
  random: number;
}

export interface Verdict {
  state: AttemptState;
  errorClass: ErrorClass | null;
  nextAttemptAt: Date | null;
  gone: boolean;
}

const statusesWithRetryAfter: ReadonlySet<number> = new Set([429, 503]);

/** Decides what follows an attempt (docs/webhooks.md, "Responses"). A redirect counts as a failure. */
export function classifyResponse(result: SendResult, options: ClassifyOptions): Verdict {
  const end = { nextAttemptAt: null, gone: false };
  if (result.kind === 'failed') {
    const { errorClass } = result;
    return result.isFinal
      ? { ...end, state: 'blocked', errorClass }
      : retryLater(errorClass, null, options);
  }
  const { status } = result;
  if (status >= 200 && status < 300) return { ...end, state: 'delivered', errorClass: null };
  if (status === 410) return { ...end, state: 'exhausted', errorClass: 'status', gone: true };
  const retryAfterMs = statusesWithRetryAfter.has(status)
    ? parseRetryAfterMs(result.retryAfter, options.now)
    : null;
  return retryLater('status', retryAfterMs, options);
}

function retryLater(
  errorClass: ErrorClass,
  retryAfterMs: number | null,
  { scheduleMs, attemptsMade, now, random }: ClassifyOptions,
): Verdict {
  const delayMs = nextRetryDelayMs({ scheduleMs, attemptsMade, retryAfterMs, random });
  if (delayMs === null) return { state: 'exhausted', errorClass, nextAttemptAt: null, gone: false };
  const nextAttemptAt = new Date(now.getTime() + delayMs);
  return { state: 'retrying', errorClass, nextAttemptAt, gone: false };
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
