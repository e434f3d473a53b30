/** The maximum ratio of the p99 with a disturbance to the p99 alone. */
export const besideTimesMax = 2;

interface Beside {
  what: string;
  timesMax?: number;
  aloneMs: number | undefined;
  besideMs: number | undefined;
}

/** Returns a sentence about two p99, and a missed target if the second is too long or one is unknown. */
export function compareBeside(figures: Beside) {
  const { what, timesMax = besideTimesMax, aloneMs = NaN, besideMs = NaN } = figures;
  const times = besideMs / aloneMs;
  const note = `p99 of ${what}: ${aloneMs} ms alone, ${besideMs} ms beside, ${times.toFixed(2)} times as long.`;
  if (times <= timesMax) return { note, missed: [] };
  const missed = `${times.toFixed(2)} times as long, and the limit is ${timesMax} times.`;
  return { note, missed: [`p99 of ${what}: ${missed}`] };
}
