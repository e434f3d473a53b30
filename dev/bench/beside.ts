/** How many times as long a p99 may be beside a disturbance as alone. */
export const besideTimesMax = 2;

interface Beside {
  what: string;
  aloneMs: number | undefined;
  besideMs: number | undefined;
}

/** Returns a sentence on two p99, and a missed target where the second is too long or one unknown. */
export function compareBeside({ what, aloneMs = NaN, besideMs = NaN }: Beside) {
  const times = besideMs / aloneMs;
  const note = `p99 of ${what}: ${aloneMs} ms alone, ${besideMs} ms beside, ${times.toFixed(2)} times as long.`;
  if (times <= besideTimesMax) return { note, missed: [] };
  const missed = `${times.toFixed(2)} times as long, and the limit is ${besideTimesMax} times.`;
  return { note, missed: [`p99 of ${what}: ${missed}`] };
}
