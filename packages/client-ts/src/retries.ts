// Whether a failed call is tried again, and when: pure functions.
import { ConnectionFailedError, HeraldError } from './errors.ts';

const firstWaitMs = 250;
const longestWaitMs = 8_000;
const passingStatuses: readonly (number | null)[] = [502, 503, 504];

/** True where the service has not begun with the call, so that any call can be repeated. */
export function isNotBegun({ status, code }: HeraldError): boolean {
  return status === 429 || status === 408 || code === 'overloaded';
}

export interface Repeats {
  /** True where a repeat does no harm. */
  readonly isRepeatable: boolean;
  readonly hasIdempotencyKey: boolean;
  /** How many repeats were made. */
  readonly count: number;
}

/** Returns whether a call may be repeated after an error. */
export function mayRepeat(error: unknown, repeats: Repeats): error is HeraldError {
  const { isRepeatable, hasIdempotencyKey, count } = repeats;
  if (!(error instanceof HeraldError)) return false;
  if (isNotBegun(error)) return true;
  if (!isRepeatable && !hasIdempotencyKey) return false;
  // The attempt before, whose connection was cut, is still under way.
  if (hasIdempotencyKey && count > 0 && error.code === 'conflict') return true;
  return error instanceof ConnectionFailedError || passingStatuses.includes(error.status);
}

/** Returns the wait before retry 1, 2, …: it doubles, with a random part, and is not less than asked for. */
export function waitMsBefore(retry: number, error: HeraldError, random = Math.random): number {
  const wholeMs = Math.min(firstWaitMs * 2 ** (retry - 1), longestWaitMs);
  const waitMs = wholeMs / 2 + (random() * wholeMs) / 2;
  return Math.max(waitMs, error.retryAfterMs ?? 0);
}

/** Reads the value of `Retry-After`, seconds or a date; null where there is none. */
export function readRetryAfter(value: string | null, nowMs: number): number | null {
  if (value === null) return null;
  if (/^\d+$/.test(value)) return Number(value) * 1_000;
  const atMs = Date.parse(value);
  return Number.isNaN(atMs) ? null : Math.max(0, atMs - nowMs);
}
