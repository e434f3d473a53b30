import { statisticsLimits } from '../limits.ts';
import type { StatisticsInterval } from '../model/statistics.ts';
import { dayMs, hourMs, minuteMs } from '../platform/duration.ts';

const { minutesKeptMs, hoursKeptMs, daysKeptMs } = statisticsLimits;
const { minutesRangeMsMax, hoursRangeMsMax, daysRangeMsMax } = statisticsLimits;

/** The length of an interval, how long its counts are kept, and the longest range that can be queried with it. */
export const intervals: Readonly<
  Record<StatisticsInterval, { ms: number; keptMs: number; rangeMsMax: number }>
> = {
  minute: { ms: minuteMs, keptMs: minutesKeptMs, rangeMsMax: minutesRangeMsMax },
  hour: { ms: hourMs, keptMs: hoursKeptMs, rangeMsMax: hoursRangeMsMax },
  day: { ms: dayMs, keptMs: daysKeptMs, rangeMsMax: daysRangeMsMax },
};

/** Returns the start, in UTC, of the interval that contains a time. */
export function beginningOf(interval: StatisticsInterval, atMs: number): number {
  const { ms } = intervals[interval];
  return Math.floor(atMs / ms) * ms;
}

export function statisticsId(owner: string, interval: StatisticsInterval, atMs: number): string {
  return `${owner}/${interval}/${new Date(atMs).toISOString()}`;
}
