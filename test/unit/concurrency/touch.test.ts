// A "last used" time is written once per period and key.
import { expect, test } from 'vitest';
import { createTouch } from '../../../lib/concurrency/touch.ts';

const at = (ms: number): Date => new Date(Date.UTC(2026, 0, 1) + ms);

test('one use per period is written, the first one immediately', () => {
  const touch = createTouch(1_000);
  const written = [0, 1, 999, 1_000, 1_001, 1_999, 2_000].filter((ms) => touch('a', at(ms), null));
  expect(written).toEqual([0, 1_000, 2_000]);
});

test('the periods of different keys are independent', () => {
  const touch = createTouch(1_000);
  expect([touch('a', at(0), null), touch('b', at(0), undefined)]).toEqual([true, true]);
});

test('a use is not written if another process wrote a time within the period or a later one', () => {
  const touch = createTouch(1_000);
  expect(touch('a', at(1_000), at(1))).toBe(false);
  expect(touch('a', at(1_000), at(5_000))).toBe(false);
  expect(touch('a', at(1_000), at(0))).toBe(true);
});

test('the memory is bounded: after 10,000 other keys the first is written again', () => {
  const touch = createTouch(1_000);
  for (let n = 0; n < 10_000; n += 1) touch(String(n), at(0), null);
  expect(touch('9999', at(1), null)).toBe(false);
  expect(touch('one more', at(1), null)).toBe(true);
  expect(touch('0', at(1), null)).toBe(true);
});
