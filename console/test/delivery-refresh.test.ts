import { expect, test } from 'vitest';
import { refreshMsOf } from '../src/pages/deliveries/delivery-refresh.ts';

test.each([
  ['pending', 2_000],
  ['retrying', 2_000],
  ['held', 10_000],
  ['delivered', false],
  ['exhausted', false],
  ['blocked', false],
  ['cancelled', false],
] as const)('the page of a delivery that is %s refreshes after %s ms', (state, refreshMs) => {
  expect(refreshMsOf({ state, attemptCount: 1 }, null)).toBe(refreshMs);
});

test('after a resend the page refreshes until the first attempt is made', () => {
  expect(refreshMsOf({ state: 'delivered', attemptCount: 3 }, 3)).toBe(2_000);
  expect(refreshMsOf({ state: 'delivered', attemptCount: 4 }, 3)).toBe(false);
});
