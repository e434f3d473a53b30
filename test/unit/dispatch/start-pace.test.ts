// The pace of starts: a burst after a quiet time, then a fixed rate.
import { expect, test } from 'vitest';
import { array, assert, constantFrom, nat, property, record } from 'fast-check';
import { StartPace } from '../../../lib/dispatch/start-pace.ts';

test('a quiet time allows one burst and no more', () => {
  const pace = new StartPace({ startsPerSecond: 10, burst: 3 }, 0);
  expect([1, 2, 3, 4].map(() => pace.take(1, 60_000))).toEqual([true, true, true, false]);
});

test('the returned wait is the shortest after which a start is allowed', () => {
  const pace = new StartPace({ startsPerSecond: 10, burst: 3 }, 0);
  while (pace.take(1, 0));
  expect(pace.waitMs(1, 0)).toBe(100);
  expect(pace.waitMs(2.5, 0)).toBe(250);
  expect(pace.take(2.5, 249)).toBe(false);
  expect(pace.take(2.5, 250)).toBe(true);
  expect(pace.waitMs(1, 250)).toBe(100);
});

test('a clock that stops or goes back allows no start', () => {
  const pace = new StartPace({ startsPerSecond: 10, burst: 1 }, 1_000);
  expect(pace.take(1, 1_000)).toBe(true);
  expect(pace.take(1, 1_000)).toBe(false);
  expect(pace.take(1, 500)).toBe(false);
});

test('for any sequence of requests no more starts are allowed than burst and rate permit', () => {
  const asks = array(record({ afterMs: nat(300), cost: constantFrom(1, 2.5) }), {
    maxLength: 200,
  });
  assert(
    property(asks, (steps) => {
      const pace = new StartPace({ startsPerSecond: 25, burst: 10 }, 0);
      let nowMs = 0;
      let granted = 0;
      for (const { afterMs, cost } of steps) {
        nowMs += afterMs;
        if (pace.take(cost, nowMs)) granted += cost;
        expect(granted).toBeLessThanOrEqual(10 + (nowMs / 1_000) * 25 + 1e-6);
      }
    }),
  );
});
