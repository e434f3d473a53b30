/** The maximum ratio of the p99 with a disturbance to the p99 alone. */
export const besideTimesMax = 2;

interface Beside {
  figure?: string;
  what: string;
  timesMax?: number;
  aloneMs: number | undefined;
  besideMs: number | undefined;
}

/** Returns a sentence about two values of a figure, and a missed target if the second is too long or one is unknown. */
export function compareBeside(figures: Beside) {
  const { what, timesMax = besideTimesMax, aloneMs = NaN, besideMs = NaN } = figures;
  const subject = `${figures.figure ?? 'p99'} of ${what}`;
  const times = besideMs / aloneMs;
  const note = `${subject}: ${aloneMs} ms alone, ${besideMs} ms beside, ${times.toFixed(2)} times as long.`;
  if (times <= timesMax) return { note, missed: [] };
  const missed = `${times.toFixed(2)} times as long, and the limit is ${timesMax} times.`;
  return { note, missed: [`${subject}: ${missed}`] };
}
