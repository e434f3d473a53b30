/** Latencies in milliseconds. */
export interface Distribution {
  count: number;
  p50: number;
  p90: number;
  p99: number;
  max: number;
}

/** Returns the nearest-rank percentiles of `values`, or null if there are none. */
export function describeValues(values: readonly number[]): Distribution | null {
  if (values.length === 0) return null;
  const sorted = Float64Array.from(values).sort();
  const rank = (share: number): number =>
    round(sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? Number.NaN);
  return { count: sorted.length, p50: rank(0.5), p90: rank(0.9), p99: rank(0.99), max: rank(1) };
}

/** Rounds to hundredths. */
export function round(value: number): number {
  return Math.round(value * 100) / 100;
}

/** Returns null without values. */
export function median(values: readonly number[]): number | null {
  const sorted = values.toSorted((x, y) => x - y);
  const low = sorted[Math.ceil(sorted.length / 2) - 1];
  const high = sorted[Math.floor(sorted.length / 2)];
  return low === undefined || high === undefined ? null : (low + high) / 2;
}
