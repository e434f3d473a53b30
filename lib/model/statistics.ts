import type { AttemptState } from './attempt.ts';

export const statisticsIntervals = ['minute', 'hour', 'day'] as const;
export type StatisticsInterval = (typeof statisticsIntervals)[number];

/** What became of an attempt, or that a delivery was cancelled. */
export type CountedOutcome = AttemptState | 'cancelled';

/** The number of values by bucket (lib/statistics/histogram.ts). */
export type Histogram = Record<number, number>;

export interface Counts {
  outcomes: Partial<Record<CountedOutcome, number>>;
  attemptMs: Histogram;
  /** Of events that were delivered, and not by a resend or replay. */
  changeToReceiptMs: Histogram;
}

/** The counts of an interval, of an application or a webhook. */
export interface StatisticsDocument extends Partial<Counts> {
  /** The uid of the application or webhook, the interval and its beginning: `whk_…/hour/2026-11-22T19:00:00.000Z`. */
  _id: string;
  appUid: string;
  expiresAt: Date;
}

export interface StatisticsCursorDocument {
  _id: 'deliveries';
  /** What ended before is in the statistics; a whole minute. */
  countedUntil: Date;
  /** Until then a process counts what comes next. */
  leaseUntil: Date;
}
