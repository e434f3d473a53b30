// The times of a delivery's attempts.

const unitsMs: Readonly<Record<string, number>> = {
  ms: 1,
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
};

/** Returns a wait such as `30s` in milliseconds, or null if it is invalid. */
export function readWaitMs(text: string): number | null {
  const [, count, unit = ''] = /^(\d{1,9})(ms|s|m|h|d)$/.exec(text.trim()) ?? [];
  const unitMs = unitsMs[unit];
  return unitMs === undefined ? null : Number(count) * unitMs;
}

interface PlannedAttempt {
  n: number;
  /** The time from the first attempt to this one, without jitter. */
  afterMs: number;
}

/** Returns the attempts of a schedule, or null if one of its waits is invalid. */
export function attemptsOf(waits: readonly string[]): PlannedAttempt[] | null {
  const waitsMs = waits.map(readWaitMs);
  const attempts: PlannedAttempt[] = [{ n: 1, afterMs: 0 }];
  for (const waitMs of waitsMs) {
    if (waitMs === null) return null;
    const { n, afterMs } = attempts.at(-1) ?? { n: 0, afterMs: 0 };
    attempts.push({ n: n + 1, afterMs: afterMs + waitMs });
  }
  return attempts;
}

/** Returns the position of an attempt from 0 to 1, on a logarithmic scale because waits range from seconds to days. */
export function positionOf(afterMs: number, totalMs: number): number {
  return totalMs === 0 ? 0 : Math.log1p(afterMs / 1_000) / Math.log1p(totalMs / 1_000);
}
