// The time ranges of statistics.
import type { Interval } from '@agent-herald/client';

export const ranges = {
  '1h': { label: '1 hour', period: 'last hour', ms: 3_600_000, interval: 'minute' },
  '24h': { label: '24 hours', period: 'last 24 hours', ms: 86_400_000, interval: 'hour' },
  '7d': { label: '7 days', period: 'last 7 days', ms: 7 * 86_400_000, interval: 'hour' },
  '30d': { label: '30 days', period: 'last 30 days', ms: 30 * 86_400_000, interval: 'day' },
} as const;

export type RangeName = keyof typeof ranges;

export function isRange(text: string | undefined): text is RangeName {
  return text !== undefined && Object.hasOwn(ranges, text);
}

/** Returns the start of a range that ends now. */
export function sinceOf(name: RangeName, now: Date): string {
  return new Date(now.getTime() - ranges[name].ms).toISOString();
}

/** Checks whether hourly points need the date, too: 25 of them start and end at the same hour. */
export function isLongerThanDay(interval: Interval, count: number): boolean {
  return interval === 'hour' && count > 24;
}

/** Returns a point's time for the axis of a chart, in the viewer's zone. */
export function formatPoint(at: string, interval: Interval, isLong: boolean): string {
  // The days of the statistics are in UTC.
  if (interval === 'day')
    return new Date(at).toLocaleDateString('en-GB', {
      day: 'numeric',
      month: 'short',
      timeZone: 'UTC',
    });
  const time = { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' } as const;
  return new Date(at).toLocaleString(
    'en-GB',
    isLong ? { day: 'numeric', month: 'short', ...time } : time,
  );
}
