import type { AttemptState } from './attempt.ts';

export const statisticsIntervals = ['minute', 'hour', 'day'] as const;
export type StatisticsInterval = (typeof statisticsIntervals)[number];

/** The result of an attempt, or the cancellation of a delivery. */
export type CountedOutcome = AttemptState | 'cancelled';

/** Counts by bucket (lib/statistics/histogram.ts). */
export type Histogram = Record<number, number>;

export interface Counts {
  outcomes: Partial<Record<CountedOutcome, number>>;
  attemptMs: Histogram;
  /** For delivered events, without resends and replays. */
  changeToReceiptMs: Histogram;
}

/** The counts of one interval for an application or a webhook; those that are 0 are absent. */
export interface StatisticsDocument extends Partial<Counts> {
  /** The uid of the application or webhook, the interval and its start: `whk_…/hour/2026-11-22T19:00:00.000Z`. */
  _id: string;
  appUid: string;
  expiresAt: Date;
}

export interface StatisticsCursorDocument {
  _id: 'deliveries';
  /** Attempts that ended before are in the statistics; always a whole minute. */
  countedUntil: Date;
  /** Until then a process is counting the next minutes. */
  leaseUntil: Date;
}
