// What each result of an attempt means for its delivery.
import { expect, test } from 'vitest';
import { assert, constantFrom, double, integer, option, property } from 'fast-check';
import { classifyResponse, type Verdict } from '../../../lib/deliveries/classify-response.ts';
import type { SendErrorClass } from '../../../lib/egress/classify-send-error.ts';
import type { SendResult } from '../../../lib/egress/http-sender.ts';

const now = new Date('2026-03-01T12:00:00.000Z');
const common = { address: '192.0.2.1', ms: { total: 5 }, phases: [] };
const plain = { detail: null, responseSample: '', responseHeaders: [] };

function answered(status: number, retryAfter: string | null = null): SendResult {
  return { kind: 'responded', status, retryAfter, ...plain, ...common };
}

function failed(errorClass: SendErrorClass, isFinal = false): SendResult {
  return { kind: 'failed', errorClass, detail: 'why', cause: null, isFinal, ...common };
}

function judge(result: SendResult, attemptsMade = 1): Verdict {
  return classifyResponse(result, { scheduleMs: [5_000, 30_000], attemptsMade, now, random: 0 });
}

const later = (ms: number): Date => new Date(now.getTime() + ms);

test.each([200, 201, 202, 204, 206, 299])('%d is delivered', (status) => {
  const delivered = { state: 'delivered', errorClass: null, nextAttemptAt: null, gone: false };
  expect(judge(answered(status))).toEqual(delivered);
  expect(judge(answered(status, '60'), 3)).toEqual(delivered);
});

test.each([
  100, 199, 300, 301, 302, 304, 307, 308, 400, 401, 403, 404, 409, 411, 413, 422, 429, 451, 499,
  500, 501, 502, 503, 504, 599,
])('%d is a failure that is retried until the schedule ends', (status) => {
  const retrying = { state: 'retrying', errorClass: 'status', gone: false };
  expect(judge(answered(status))).toEqual({ ...retrying, nextAttemptAt: later(5_000) });
  expect(judge(answered(status), 2)).toEqual({ ...retrying, nextAttemptAt: later(30_000) });
  const exhausted = { state: 'exhausted', errorClass: 'status', nextAttemptAt: null, gone: false };
  expect(judge(answered(status), 3)).toEqual(exhausted);
});

test('410 exhausts the delivery immediately and reports the endpoint as gone', () => {
  const gone = { state: 'exhausted', errorClass: 'status', nextAttemptAt: null, gone: true };
  expect(judge(answered(410))).toEqual(gone);
  expect(judge(answered(410, '60'))).toEqual(gone);
});

test.each<SendErrorClass>(['dns', 'connect', 'tls', 'timeout', 'reset', 'too_large', 'blocked'])(
  'a failure of the class %s is retried until the schedule ends',
  (errorClass) => {
    expect(judge(failed(errorClass))).toEqual({
      state: 'retrying',
      errorClass,
      nextAttemptAt: later(5_000),
      gone: false,
    });
    expect(judge(failed(errorClass), 3)).toEqual({
      state: 'exhausted',
      errorClass,
      nextAttemptAt: null,
      gone: false,
    });
  },
);

test('a literal address that the guard refuses is never retried', () => {
  const blocked = { state: 'blocked', errorClass: 'blocked', nextAttemptAt: null, gone: false };
  expect(judge(failed('blocked', true))).toEqual(blocked);
  expect(judge(failed('blocked', true), 3)).toEqual(blocked);
});

test.each([
  [429, '60', 60_000],
  [503, '60', 60_000],
  [503, 'Sun, 01 Mar 2026 12:02:00 GMT', 120_000],
  [429, '1', 5_000],
  [429, '86400', 3_600_000],
  [503, 'soon', 5_000],
  [500, '60', 5_000],
  [404, '60', 5_000],
  [301, '60', 5_000],
])('%d with Retry-After %j is retried after %d ms', (status, retryAfter, delayMs) => {
  expect(judge(answered(status, retryAfter)).nextAttemptAt).toEqual(later(delayMs));
});

test('any result makes a delivery delivered, blocked or exhausted without a next attempt, or retrying with one', () => {
  const status = integer({ min: 100, max: 599 });
  const asked = option(integer({ min: 0, max: 100_000 }));
  const made = integer({ min: 1, max: 4 });
  const random = double({ min: 0, max: 1, noNaN: true, maxExcluded: true });
  const scheduleMs = [5_000, 30_000, 7_200_000];
  const failures = constantFrom<SendErrorClass>('dns', 'connect', 'tls', 'timeout', 'reset');
  assert(
    property(option(failures), status, asked, made, random, (...drawn) => {
      const [errorClass, answeredStatus, seconds, attemptsMade, chance] = drawn;
      const header = seconds === null ? null : String(seconds);
      const result = errorClass === null ? answered(answeredStatus, header) : failed(errorClass);
      const verdict = classifyResponse(result, { scheduleMs, attemptsMade, now, random: chance });
      const scheduledMs = scheduleMs[attemptsMade - 1];
      expect(verdict.nextAttemptAt === null).toBe(verdict.state !== 'retrying');
      expect(verdict.errorClass === null).toBe(verdict.state === 'delivered');
      if (verdict.nextAttemptAt === null || scheduledMs === undefined) {
        expect(verdict.state).not.toBe('retrying');
        return;
      }
      const hears = errorClass === null && [429, 503].includes(answeredStatus) && seconds !== null;
      const longestMs = hears
        ? Math.max(2 * scheduledMs, 3_600_000)
        : Math.round(scheduledMs * 1.15);
      const waitMs = verdict.nextAttemptAt.getTime() - now.getTime();
      expect(waitMs).toBeGreaterThanOrEqual(scheduledMs);
      expect(waitMs).toBeLessThanOrEqual(longestMs);
    }),
  );
});
