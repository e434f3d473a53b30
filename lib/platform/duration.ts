export const secondMs = 1_000;
export const minuteMs = 60 * secondMs;
export const hourMs = 60 * minuteMs;
export const dayMs = 24 * hourMs;

const unitsMs: Readonly<Record<string, number>> = {
  ms: 1,
  s: secondMs,
  m: minuteMs,
  h: hourMs,
  d: dayMs,
};

export const durationShape = /^([0-9]{1,9})(ms|s|m|h|d)$/;

/** Parses a duration such as `30s`; null if the text is not one. */
export function readDurationMs(text: string): number | null {
  const match = durationShape.exec(text);
  const unitMs = unitsMs[match?.[2] ?? ''];
  return match === null || unitMs === undefined ? null : Number(match[1]) * unitMs;
}

export function invalidDuration(text: string): string {
  return `"${text}" is not a duration such as 1500ms, 5s, 2m, 14h or 3d`;
}

/** Parses the duration in a setting, ignoring surrounding spaces. Throws an `Error`. */
export function parseDurationMs(text: string): number {
  const durationMs = readDurationMs(text.trim());
  if (durationMs === null) throw new Error(invalidDuration(text));
  return durationMs;
}

/** Formats a duration in the largest unit without a fraction, as `readDurationMs` parses it. */
export function writeDuration(durationMs: number): string {
  const [unit, unitMs] = Object.entries(unitsMs).findLast(
    ([, sizeMs]) => durationMs >= sizeMs && durationMs % sizeMs === 0,
  ) ?? ['ms', 1];
  return `${durationMs / unitMs}${unit}`;
}

/** Formats a duration for people: `850 ms`, `5 s`, `2 min`, `14 h`, `3 d`. */
export function formatDuration(durationMs: number): string {
  if (durationMs < 1_000) return `${Math.round(durationMs)} ms`;
  const seconds = Math.round(durationMs / 1_000);
  if (seconds < 120) return `${seconds} s`;
  if (seconds < 7_200) return `${Math.round(seconds / 60)} min`;
  if (seconds < 172_800) return `${Math.round(seconds / 3_600)} h`;
  return `${Math.round(seconds / 86_400)} d`;
}
