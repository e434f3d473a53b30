import type { Histogram } from '../model/statistics.ts';

const relativeErrorMax = 0.05;
const ratio = (1 + relativeErrorMax) / (1 - relativeErrorMax);
const logOfRatio = Math.log(ratio);

/**
 * Returns the bucket of a duration. Each bucket ends at a constant ratio to the previous one, so percentiles are within
 * 5 %, and histograms can be merged by adding (DDSketch: Masson, Rim and Lee, VLDB 2019). Bucket 0 is below 1 ms.
 */
function bucketOf(durationMs: number): number {
  return durationMs < 1 ? 0 : 1 + Math.ceil(Math.log(durationMs) / logOfRatio);
}

function durationOf(bucket: number): number {
  return bucket === 0 ? 0 : (2 * ratio ** (bucket - 1)) / (ratio + 1);
}

export function addDuration(histogram: Histogram, durationMs: number): void {
  const bucket = bucketOf(durationMs);
  histogram[bucket] = (histogram[bucket] ?? 0) + 1;
}

export function addHistogram(total: Histogram, more: Histogram): void {
  for (const bucket in more) total[bucket] = (total[bucket] ?? 0) + (more[bucket] ?? 0);
}

const shares = [0.5, 0.95, 0.99];

export type Percentiles = Record<'p50' | 'p95' | 'p99', number>;

/** Returns the smallest values that the shares do not exceed, in whole ms; null for an empty histogram. */
export function percentilesOf(histogram: Histogram): Percentiles | null {
  let total = 0;
  for (const bucket in histogram) total += histogram[bucket] ?? 0;
  if (total === 0) return null;
  const found: number[] = [];
  let passed = 0;
  // JavaScript iterates integer keys in ascending order.
  for (const bucket in histogram) {
    passed += histogram[bucket] ?? 0;
    while (passed >= Math.ceil((shares[found.length] ?? Infinity) * total)) {
      found.push(Math.round(durationOf(Number(bucket))));
    }
  }
  const [p50 = 0, p95 = 0, p99 = 0] = found;
  return { p50, p95, p99 };
}
