// When the latency of changes counts as normal again after a fault.
import { expect, test } from 'vitest';
import {
  backToNormalAfter,
  type Latency,
  p99Between,
  windowsBetween,
} from '../../soak/latency-curve.ts';

const changes = (count: number, changedMs: number, latencyMs: number): Latency[] =>
  Array.from({ length: count }, () => ({ changedMs, latencyMs }));

test.each([
  [100, 1, 10],
  [99, 1, 10],
  [98, 2, 900],
  [0, 1, 900],
])('of %i quick and %i slow changes the 99th percentile is %i ms', (quick, slow, p99Ms) => {
  const latencies = [...changes(quick, 1_000, 10), ...changes(slow, 1_000, 900)];
  expect(p99Between(latencies, 1_000, 1_001)).toBe(p99Ms);
});

test('a period holds the changes from its first millisecond to before its last', () => {
  expect(p99Between(changes(1, 999, 5), 1_000, 2_000)).toBeNull();
  expect(p99Between(changes(1, 1_000, 5), 1_000, 2_000)).toBe(5);
  expect(p99Between(changes(1, 1_999, 5), 1_000, 2_000)).toBe(5);
  expect(p99Between(changes(1, 2_000, 5), 1_000, 2_000)).toBeNull();
});

test('a fault has a window for each whole five seconds after it', () => {
  const latencies = [...changes(1, 12_000, 7), ...changes(1, 19_999, 8), ...changes(1, 20_000, 9)];
  expect(windowsBetween(latencies, 10_000, 24_999)).toEqual([
    { fromSecond: 0, p99Ms: 7 },
    { fromSecond: 5, p99Ms: 8 },
  ]);
});

test.each([
  ['all within the limit', [20, 20, 20], 0],
  ['the first above it', [21, 20, 20], 5],
  ['one above it between others', [20, 21, 20], 10],
  ['nothing committed', [null, 20, 20], 5],
  ['the last above it', [20, 20, 21], 15],
])('with %s everything is normal after the last abnormal window', (_name, p99s, seconds) => {
  const windows = p99s.map((p99Ms, index) => ({ fromSecond: 5 * index, p99Ms }));
  expect(backToNormalAfter(windows, 20)).toBe(seconds);
});
