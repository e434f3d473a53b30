// The times of retries, and the parsing of Retry-After.
import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { array, assert, double, integer, maxSafeNat, nat, oneof, property } from 'fast-check';
import {
  defaultRetryScheduleMs,
  nextRetryDelayMs,
  parseRetryAfterMs,
  throttledDelayMs,
} from '../../../lib/deliveries/retry-schedule.ts';
import { hourMs } from '../../../lib/platform/duration.ts';

const now = new Date('2026-03-01T12:00:00.000Z');

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

test('an empty schedule allows no second attempt', () => {
  expect(
    nextRetryDelayMs({ scheduleMs: [], attemptsMade: 1, retryAfterMs: 1_000, random: 0 }),
  ).toBeNull();
});

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
  ['0 leads to the scheduled wait', 1, 0, 5_000],
  ['less than an hour is followed', 1, 90_000, 90_000],
  ['one hour is followed', 1, hourMs, hourMs],
  ['more than an hour leads to one hour', 1, hourMs + 1, hourMs],
  ['more digits than a number holds leads to one hour', 1, Infinity, hourMs],
  ['up to twice a long scheduled wait is followed', 7, 10 * hourMs, 10 * hourMs],
  [
    'more than twice a long scheduled wait leads to twice that wait',
    7,
    10 * hourMs + 1,
    10 * hourMs,
  ],
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
  ['0', 0],
  ['999999999', 999_999_999_000],
  ['1000000000', 1e12],
  ['-5', null],
  ['1.5', null],
  ['1e3', null],
  ['soon', null],
  ['2026', 2_026_000],
  ['2026-03-01T12:01:00Z', null],
  ['Sun, 01 Mar 2026 12:01:00 GMT', 60_000],
  ['Sunday, 01-Mar-26 12:01:00 GMT', 60_000],
  ['Sun Mar  1 12:01:00 2026', 60_000],
  ['Sun Mar  1 12:01:00 2026 GMT', 60_000],
  ['Sun, 01 Mar 2026 14:01:00 +0200', 60_000],
  ['Sun, 01 Mar 2026 11:59:00 GMT', 0],
  ['Sun, 99 Mar 2026 12:01:00 GMT', null],
])('the header %j is read as %p ms', (header, expected) => {
  expect(parseRetryAfterMs(header, now)).toBe(expected);
});

test('a date without a time zone is read as UTC in every local time zone', () => {
  const script = [
    "import { parseRetryAfterMs } from './lib/deliveries/retry-schedule.ts';",
    `const now = new Date('${now.toISOString()}');`,
    "console.log(parseRetryAfterMs('Sun Mar  1 12:01:00 2026', now));",
  ].join('\n');
  const flags = ['--import', 'tsx', '--input-type=module', '--eval', script];
  const env = { ...process.env, TZ: 'Asia/Tokyo' };
  expect(execFileSync(process.execPath, flags, { env, encoding: 'utf8' }).trim()).toBe('60000');
});
