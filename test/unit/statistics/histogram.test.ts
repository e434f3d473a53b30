import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { dayMs } from '../../../lib/platform/duration.ts';
import { addDuration, addHistogram, percentilesOf } from '../../../lib/statistics/histogram.ts';
import type { Histogram } from '../../../lib/model/statistics.ts';

const longestMs = 15 * dayMs;
// Mostly short, like real durations, with some very long ones.
const durations = fc.array(
  fc.oneof(fc.integer({ min: 0, max: 6_000 }), fc.integer({ min: 0, max: longestMs })),
  { minLength: 1, maxLength: 300 },
);

function histogramOf(values: readonly number[]): Histogram {
  const histogram: Histogram = {};
  for (const value of values) addDuration(histogram, value);
  return histogram;
}

/** The nearest-rank percentile of all values. */
function exactly(values: readonly number[], share: number): number {
  const sorted = values.toSorted((one, other) => one - other);
  return sorted[Math.ceil(share * sorted.length) - 1] ?? Number.NaN;
}

test('a percentile is within 5 % of the exact one, and rounded', () => {
  fc.assert(
    fc.property(durations, (values) => {
      const found = percentilesOf(histogramOf(values));
      for (const [name, share] of [
        ['p50', 0.5],
        ['p95', 0.95],
        ['p99', 0.99],
      ] as const) {
        const exact = exactly(values, share);
        const error = Math.abs((found?.[name] ?? Number.NaN) - exact);
        expect(error).toBeLessThanOrEqual(0.05 * exact + 0.5 + 1e-6);
      }
    }),
    { numRuns: 1_000 },
  );
});

test('merged histograms are the histogram of all values, however they were divided', () => {
  fc.assert(
    fc.property(fc.array(durations, { maxLength: 8 }), (parts) => {
      const merged: Histogram = {};
      for (const part of parts) addHistogram(merged, histogramOf(part));
      expect(merged).toEqual(histogramOf(parts.flat()));
    }),
  );
});

test('a histogram without values has no percentiles', () => {
  expect(percentilesOf({})).toBeNull();
});

test.each([
  [[0], { p50: 0, p95: 0, p99: 0 }],
  [[1], { p50: 1, p95: 1, p99: 1 }],
  [[1, 1_000], { p50: 1, p95: 1_000, p99: 1_000 }],
])('the percentiles of %j are %j, within 5 %%', (values, expected) => {
  const found = percentilesOf(histogramOf(values));
  for (const name of ['p50', 'p95', 'p99'] as const) {
    expect(Math.abs((found?.[name] ?? Number.NaN) - expected[name])).toBeLessThanOrEqual(
      0.05 * expected[name],
    );
  }
});

test('the durations of two weeks have at most 220 buckets', () => {
  const values = Array.from({ length: 3_000 }, (_, n) => longestMs ** (n / 3_000));
  expect(Object.keys(histogramOf([0, ...values])).length).toBeLessThanOrEqual(220);
});
