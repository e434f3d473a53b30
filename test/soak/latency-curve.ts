// The latency of changes, and when it was normal again after a fault.

export interface Latency {
  changedMs: number;
  latencyMs: number;
}

/** Five seconds of changes, counted from the fault. */
export interface Window {
  fromSecond: number;
  /** Null if nothing was committed. */
  p99Ms: number | null;
}

const windowSeconds = 5;

/** Returns the 99th percentile (nearest rank) of the changes in a period, or null if there are none. */
export function p99Between(
  latencies: readonly Latency[],
  fromMs: number,
  toMs: number,
): number | null {
  const values = latencies
    .filter(({ changedMs }) => changedMs >= fromMs && changedMs < toMs)
    .map(({ latencyMs }) => latencyMs)
    .toSorted((a, b) => a - b);
  return values[Math.ceil(values.length * 0.99) - 1] ?? null;
}

/** Returns the whole windows of a period. */
export function windowsBetween(
  latencies: readonly Latency[],
  fromMs: number,
  toMs: number,
): Window[] {
  const count = Math.floor((toMs - fromMs) / 1_000 / windowSeconds);
  return Array.from({ length: count }, (_, index) => {
    const fromSecond = index * windowSeconds;
    const startMs = fromMs + fromSecond * 1_000;
    return { fromSecond, p99Ms: p99Between(latencies, startMs, startMs + windowSeconds * 1_000) };
  });
}

/** Returns the seconds until every later window is within the limit. A window without commits is not. */
export function backToNormalAfter(windows: readonly Window[], limitMs: number): number {
  const last = windows.findLast(({ p99Ms }) => p99Ms === null || p99Ms > limitMs);
  return last === undefined ? 0 : last.fromSecond + windowSeconds;
}
