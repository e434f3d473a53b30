// Durations as operators write them: `5s`, `2m`, `14h`, `3d`.

const unitsMs: Readonly<Record<string, number>> = {
  ms: 1,
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
};

/** Parses a duration such as `30s` into milliseconds. Throws an Error that shows the faulty text. */
export function parseDurationMs(text: string): number {
  const match = /^(\d{1,9})(ms|s|m|h|d)$/.exec(text.trim());
  const unitMs = unitsMs[match?.[2] ?? ''];
  if (match === null || unitMs === undefined) {
    throw new Error(`"${text}" is not a duration such as 500ms, 5s, 2m, 14h or 3d`);
  }
  return Number(match[1]) * unitMs;
}

/** Writes milliseconds as `parseDurationMs` reads them, in the largest unit that holds them whole. */
export function writeDuration(durationMs: number): string {
  const [unit, unitMs] = Object.entries(unitsMs).findLast(
    ([, sizeMs]) => durationMs >= sizeMs && durationMs % sizeMs === 0,
  ) ?? ['ms', 1];
  return `${durationMs / unitMs}${unit}`;
}

/** Writes milliseconds the way a person reads them: `850 ms`, `5 s`, `2 min`, `14 h`, `3 d`. */
export function formatDuration(durationMs: number): string {
  if (durationMs < 1_000) return `${Math.round(durationMs)} ms`;
  const seconds = Math.round(durationMs / 1_000);
  if (seconds < 120) return `${seconds} s`;
  if (seconds < 7_200) return `${Math.round(seconds / 60)} min`;
  if (seconds < 172_800) return `${Math.round(seconds / 3_600)} h`;
  return `${Math.round(seconds / 86_400)} d`;
}
