// The result of an attempt for its delivery, the times of retries, and Retry-After.
import {
  assert,
  constantFrom,
  double,
  integer,
  option,
  property,
  array,
  maxSafeNat,
  nat,
  oneof,
} from 'fast-check';
import {
  classifyResponse,
  type Verdict,
  nextRetryDelayMs,
  parseRetryAfterMs,
  throttledDelayMs,
} from '../../../lib/deliveries/classify-response.ts';
import type { SendErrorClass } from '../../../lib/egress/classify-send-error.ts';
import type { SendResult } from '../../../lib/egress/sender.ts';
import { execFileSync } from 'node:child_process';
import { defaultRetryScheduleMs } from '../../../lib/webhooks/retry-schedule.ts';
import { hourMs } from '../../../lib/platform/duration.ts';

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

test.each([100, 199, 300, 301, 308, 400, 404, 409, 411, 429, 500, 503, 599])(
  '%d is a failure that is retried until the schedule ends',
  (status) => {
    const retrying = { state: 'retrying', errorClass: 'status', gone: false };
    expect(judge(answered(status))).toEqual({ ...retrying, nextAttemptAt: later(5_000) });
    expect(judge(answered(status), 2)).toEqual({ ...retrying, nextAttemptAt: later(30_000) });
    const exhausted = {
      state: 'exhausted',
      errorClass: 'status',
      nextAttemptAt: null,
      gone: false,
    };
    expect(judge(answered(status), 3)).toEqual(exhausted);
  },
);

test.each<SendErrorClass>(['dns', 'connect', 'tls', 'timeout', 'reset', 'too_large', 'blocked'])(
  'a failure of the class %s is retried until the schedule ends',
  (errorClass) => {
    const facts = { errorClass, gone: false };
    const nextAttemptAt = later(5_000);
    expect(judge(failed(errorClass))).toEqual({ state: 'retrying', nextAttemptAt, ...facts });
    const exhausted = { state: 'exhausted', nextAttemptAt: null, ...facts };
    expect(judge(failed(errorClass), 3)).toEqual(exhausted);
  },
);

test.each([
  [429, '60', 60_000],
  [503, 'Sun, 01 Mar 2026 12:02:00 GMT', 120_000],
  [429, '1', 5_000],
  [429, '86400', 3_600_000],
  [503, 'soon', 5_000],
  [500, '60', 5_000],
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

function delayMs(
  attemptsMade: number,
  retryAfterMs: number | null = null,
  random = 0,
): number | null {
  return nextRetryDelayMs({
    scheduleMs: defaultRetryScheduleMs,
    attemptsMade,
    retryAfterMs,
    random,
  });
}

test('the default schedule is twelve attempts over about three days, as documented', () => {
  const minutes = Array.from({ length: 12 }, (_, i) => delayMs(i + 1)).map((ms) =>
    ms === null ? null : ms / 60_000,
  );
  expect(minutes).toEqual([5 / 60, 0.5, 2, 10, 30, 120, 300, 600, 840, 1_200, 1_440, null]);
  expect(delayMs(13)).toBeNull();
  const none = { scheduleMs: [], attemptsMade: 1, retryAfterMs: 1_000, random: 0 };
  expect(nextRetryDelayMs(none)).toBeNull();
});

test('a throttled attempt is repeated after 5 s, then after twice as long each time, up to a minute', () => {
  const waits: number[] = [];
  for (let dueForMs = 0; waits.length < 6; dueForMs += waits.at(-1) ?? 0) {
    waits.push(throttledDelayMs(dueForMs, 0.5));
  }
  expect(waits).toEqual([5_000, 10_000, 20_000, 40_000, 60_000, 60_000]);
});

test.each([
  [-1_000, 0, 2_500],
  [0, 0, 2_500],
  [0, 0.999, 7_495],
  [hourMs, 0, 30_000],
  [hourMs, 0.999, 89_940],
])(
  'a throttled attempt that has been due for %d ms waits, with the random number %d, for %d ms',
  (dueForMs, random, waitMs) => {
    expect(throttledDelayMs(dueForMs, random)).toBe(waitMs);
  },
);

test('the jitter adds up to 15 %, in whole milliseconds, and never shortens a wait', () => {
  assert(
    property(
      integer({ min: 1, max: 11 }),
      double({ min: 0, max: 1, noNaN: true, maxExcluded: true }),
      (attemptsMade, random) => {
        const plain = Number(delayMs(attemptsMade));
        const delay = Number(delayMs(attemptsMade, null, random));
        expect(Number.isInteger(delay)).toBe(true);
        expect(delay).toBeGreaterThanOrEqual(plain);
        expect(delay).toBeLessThanOrEqual(Math.round(plain * 1.15));
      },
    ),
  );
  expect(delayMs(1, null, 0.999_999)).toBe(5_750);
});

test.each([
  ['less than the scheduled wait leads to the scheduled wait', 1, 1_000, 5_000],
  ['one hour is followed', 1, hourMs, hourMs],
  ['more than an hour leads to one hour', 1, hourMs + 1, hourMs],
  ['more digits than a number holds leads to one hour', 1, Infinity, hourMs],
  ['up to twice a long scheduled wait is followed', 7, 10 * hourMs, 10 * hourMs],
  ['more than twice a long wait leads to twice that wait', 7, 10 * hourMs + 1, 10 * hourMs],
])('a Retry-After of %s', (...[, attemptsMade, retryAfterMs, expected]) => {
  expect(delayMs(attemptsMade, retryAfterMs)).toBe(expected);
});

test('for any Retry-After the wait is at least the scheduled one and at most twice it or an hour', () => {
  const schedule = array(integer({ min: 0, max: 7 * 24 * hourMs }), {
    minLength: 1,
    maxLength: 20,
  });
  const asked = oneof(integer({ min: 0, max: 3 * hourMs }), maxSafeNat());
  const random = double({ min: 0, max: 1, noNaN: true, maxExcluded: true });
  assert(
    property(schedule, nat(), asked, random, (...drawn) => {
      const [scheduleMs, at, retryAfterMs, chance] = drawn;
      const attemptsMade = 1 + (at % scheduleMs.length);
      const scheduledMs = scheduleMs[attemptsMade - 1] ?? 0;
      const longestMs = Math.max(2 * scheduledMs, hourMs);
      const question = { scheduleMs, attemptsMade, random: chance };
      const wait = Number(nextRetryDelayMs({ ...question, retryAfterMs }));
      expect(Number.isInteger(wait)).toBe(true);
      expect(wait).toBeGreaterThanOrEqual(scheduledMs);
      expect(wait).toBeLessThanOrEqual(longestMs);
      // Within these bounds, never before the time that the receiver requested.
      expect(wait).toBeGreaterThanOrEqual(Math.min(retryAfterMs, longestMs));
      expect(wait).toBeLessThanOrEqual(Math.round(Math.max(retryAfterMs, scheduledMs) * 1.15));
    }),
  );
});

test('a Retry-After allows no attempt beyond the last', () => {
  expect(delayMs(12, 1_000)).toBeNull();
});

test.each<[string | null, number | null]>([
  [null, null],
  ['', null],
  ['120', 120_000],
  [' 120 ', 120_000],
  ['1000000000', 1e12],
  ['-5', null],
  ['1e3', null],
  ['soon', null],
  ['2026-03-01T12:01:00Z', null],
  ['Sun, 01 Mar 2026 12:01:00 GMT', 60_000],
  ['Sunday, 01-Mar-26 12:01:00 GMT', 60_000],
  ['Sun Mar  1 12:01:00 2026', 60_000],
  ['Sun, 01 Mar 2026 14:01:00 +0200', 60_000],
  ['Sun, 01 Mar 2026 11:59:00 GMT', 0],
  ['Sun, 99 Mar 2026 12:01:00 GMT', null],
])('the header %j is read as %p ms', (header, expected) => {
  expect(parseRetryAfterMs(header, now)).toBe(expected);
});

test('a date without a time zone is read as UTC in every local time zone', () => {
  const script = [
    "import { parseRetryAfterMs } from './lib/deliveries/classify-response.ts';",
    `const now = new Date('${now.toISOString()}');`,
    "console.log(parseRetryAfterMs('Sun Mar  1 12:01:00 2026', now));",
  ].join('\n');
  const flags = ['--import', 'tsx', '--input-type=module', '--eval', script];
  const env = { ...process.env, TZ: 'Asia/Tokyo' };
  expect(execFileSync(process.execPath, flags, { env, encoding: 'utf8' }).trim()).toBe('60000');
});
