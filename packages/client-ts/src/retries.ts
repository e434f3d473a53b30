// Decides whether and when a failed call is retried. Pure functions.
import { ConnectionFailedError, HeraldError } from './errors.ts';

const firstWaitMs = 250;
const longestWaitMs = 8_000;
const passingStatuses: readonly (number | null)[] = [502, 503, 504];

/** Checks whether the service rejected the call before processing it, so that any call can be repeated. */
export function isNotBegun({ status, code }: HeraldError): boolean {
  return status === 429 || status === 408 || code === 'overloaded';
}

export interface Repeats {
  /** True if a repeat does no harm. */
  readonly isRepeatable: boolean;
  readonly hasIdempotencyKey: boolean;
  /** The number of retries so far. */
  readonly count: number;
}

/** Checks whether a call can be retried after an error. */
export function mayRepeat(error: unknown, repeats: Repeats): error is HeraldError {
  const { isRepeatable, hasIdempotencyKey, count } = repeats;
  if (!(error instanceof HeraldError)) return false;
  if (isNotBegun(error)) return true;
  if (!isRepeatable && !hasIdempotencyKey) return false;
  // The previous attempt lost its connection but is still running.
  if (hasIdempotencyKey && count > 0 && error.code === 'conflict') return true;
  return error instanceof ConnectionFailedError || passingStatuses.includes(error.status);
}

/** Returns the wait before retry 1, 2, …: doubling, with jitter, and at least what the service asked for. */
export function waitMsBefore(retry: number, error: HeraldError, random = Math.random): number {
  const wholeMs = Math.min(firstWaitMs * 2 ** (retry - 1), longestWaitMs);
  const waitMs = wholeMs / 2 + (random() * wholeMs) / 2;
  return Math.max(waitMs, error.retryAfterMs ?? 0);
}

/** Parses `Retry-After`, in seconds or as a date, to milliseconds. Returns null if it is absent or invalid. */
export function readRetryAfter(value: string | null, nowMs: number): number | null {
  if (value === null) return null;
  if (/^\d+$/.test(value)) return Number(value) * 1_000;
  // Engines would also read `-1` or `1.5` as a date.
  const atMs = /^[A-Z][a-z]+, /.test(value) ? Date.parse(value) : Number.NaN;
  return Number.isNaN(atMs) ? null : Math.max(0, atMs - nowMs);
}
