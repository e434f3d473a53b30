// By how much one of a pair is more than the other, and whether that may be chance.
import { expect, test } from 'vitest';
import { differBy, isBeyond } from '../../../dev/bench/difference.ts';

test('the share is that of the first; pairs that differ alike have no error', () => {
  const { share, standardError } = differBy([40, 50, 60], [41, 51, 61]);
  expect(share).toBeCloseTo(0.02);
  expect(standardError).toBeCloseTo(0);
});

test('the error is that of a mean of differences', () => {
  // Differences of 0 and 2: a deviation of the sample of √2, divided by √2 and by the first, 10.
  const { share, standardError } = differBy([10, 10], [10, 12]);
  expect(share).toBeCloseTo(0.1);
  expect(standardError).toBeCloseTo(0.1);
});

test.each([
  { share: 0.041, standardError: 0.01, is: true },
  { share: 0.04, standardError: 0.01, is: false },
  { share: -0.5, standardError: 0, is: false },
])('$share ± $standardError is beyond 0.02: $is', ({ is, ...difference }) => {
  expect(isBeyond(difference, 0.02)).toBe(is);
});
