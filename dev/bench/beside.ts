// What is measured alone and again beside something that must not disturb it, and how much it may.

/** How many times as long the p99 may be beside it. */
export const besideTimesMax = 2;

export interface Beside {
  /** What the p99 is of, and what is beside it. */
  what: string;
  aloneMs: number | undefined;
  besideMs: number | undefined;
}

/** Gives the sentence on the two figures, and where the second is too long, or one of them is not known, the missed target. */
export function compareBeside({ what, aloneMs = NaN, besideMs = NaN }: Beside): {
  note: string;
  missed: string[];
} {
  const times = besideMs / aloneMs;
  const note = `p99 of ${what}: ${aloneMs} ms alone, ${besideMs} ms beside, ${times.toFixed(2)} times as long.`;
  if (times <= besideTimesMax) return { note, missed: [] };
  const missed = `${times.toFixed(2)} times as long, and the limit is ${besideTimesMax} times.`;
  return { note, missed: [`p99 of ${what}: ${missed}`] };
}
