import { statisticsLimits } from '../../lib/limits.ts';
import type { StatisticsInterval } from '../../lib/model/statistics.ts';
import { dayMs, formatDuration, hourMs } from '../../lib/platform/duration.ts';
import { latestTime } from '../../lib/platform/time.ts';
import { beginningOf, intervals } from '../../lib/statistics/intervals.ts';
import { explained, parseTime } from '../http/query-values.ts';
import { invalidRequest } from '../http/validate.ts';

const { rangeMsMin } = statisticsLimits;
const defaultRangesMs = { minute: hourMs, hour: dayMs, day: 30 * dayMs };

export const sinceParameter = explained(
  parseTime,
  'The start of the range. The default is one hour before `until` for minutes, one day for hours, and 30 days for days.',
);
export const untilParameter = explained(
  parseTime,
  'The end of the range. The default is now. The range is extended to whole intervals.',
);

interface RequestedRange {
  interval: StatisticsInterval;
  since: Date | null;
  until: Date | null;
}

/** Returns up to `pointsMax` whole intervals, by default until now. Throws `invalid_request` with the allowed range. */
export function rangeOf(
  requested: RequestedRange,
  now: Date,
  pointsMax = Infinity,
): { since: Date; until: Date } {
  const { interval } = requested;
  const { ms, keptMs, rangeMsMax } = intervals[interval];
  const untilMs = (requested.until ?? now).getTime();
  const sinceMs = requested.since?.getTime() ?? untilMs - defaultRangesMs[interval];
  const rangeMs = untilMs - sinceMs;
  if (rangeMs < rangeMsMin || rangeMs > rangeMsMax) {
    const [least, most] = [formatDuration(rangeMsMin), formatDuration(rangeMsMax)];
    throw refuse(`with interval=${interval}, since must be ${least} to ${most} before until`);
  }
  const since = new Date(beginningOf(interval, sinceMs));
  const until = new Date(beginningOf(interval, untilMs + ms - 1));
  if (until > latestTime) {
    const latest = new Date(beginningOf(interval, latestTime.getTime())).toISOString();
    throw refuse(`with interval=${interval}, until must be ${latest} or earlier`, 'until');
  }
  if ((until.getTime() - since.getTime()) / ms > pointsMax) {
    throw refuse(`the range must be at most ${pointsMax} whole intervals`);
  }
  const oldest = new Date(beginningOf(interval, now.getTime() - keptMs) + ms);
  if (since < oldest) {
    throw refuse(`with interval=${interval}, since must be ${oldest.toISOString()} or later`);
  }
  return { since, until };
}

function refuse(detail: string, pointer = 'since'): Error {
  return invalidRequest([{ pointer, code: 'range', detail }]);
}
