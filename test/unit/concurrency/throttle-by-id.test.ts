// Each ID is due once per period, for example to write a "last used" time.
import { expect, test } from 'vitest';
import { throttleById } from '../../../lib/concurrency/throttle-by-id.ts';

const at = (ms: number): Date => new Date(Date.UTC(2026, 0, 1) + ms);

test('one use per period is due, the first one immediately', () => {
  const isDue = throttleById(1_000);
  const written = [0, 1, 999, 1_000, 1_001, 1_999, 2_000].filter((ms) => isDue('a', at(ms), null));
  expect(written).toEqual([0, 1_000, 2_000]);
});

test('the periods of different keys are independent', () => {
  const isDue = throttleById(1_000);
  expect([isDue('a', at(0), null), isDue('b', at(0), undefined)]).toEqual([true, true]);
});

test('a use is not due if another process stored a time within the period or a later one', () => {
  const isDue = throttleById(1_000);
  expect(isDue('a', at(1_000), at(1))).toBe(false);
  expect(isDue('a', at(1_000), at(5_000))).toBe(false);
  expect(isDue('a', at(1_000), at(0))).toBe(true);
});

test('the memory is bounded: after 10,000 other IDs the first is due again', () => {
  const isDue = throttleById(1_000);
  for (let n = 0; n < 10_000; n += 1) isDue(String(n), at(0), null);
  expect(isDue('9999', at(1), null)).toBe(false);
  expect(isDue('one more', at(1), null)).toBe(true);
  expect(isDue('0', at(1), null)).toBe(true);
});
