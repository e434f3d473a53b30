// When the attempts of a delivery are made.

const unitsMs: Readonly<Record<string, number>> = {
  ms: 1,
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
};

/** Returns a wait such as `30s` in milliseconds; null for what is none. */
export function readWaitMs(text: string): number | null {
  const [, count, unit = ''] = /^(\d{1,9})(ms|s|m|h|d)$/.exec(text.trim()) ?? [];
  const unitMs = unitsMs[unit];
  return unitMs === undefined ? null : Number(count) * unitMs;
}

interface PlannedAttempt {
  n: number;
  /** From the first attempt to this one, without the jitter. */
  afterMs: number;
}

/** Returns the attempts that a schedule leads to; null while one of its waits cannot be read. */
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

/** Returns where an attempt stands on the line, from 0 to 1: by the logarithm, as waits grow from seconds to days. */
export function placeOf(afterMs: number, totalMs: number): number {
  return totalMs === 0 ? 0 : Math.log1p(afterMs / 1_000) / Math.log1p(totalMs / 1_000);
}
