// What the statistics tell of a range, an interval or a webhook.
import type { Counts } from '../../lib/model/statistics.ts';
import { type Percentiles, percentilesOf } from '../../lib/statistics/histogram.ts';
import { count, named, objectOf, orNull, time } from '../http/schemas.ts';

export function presentCounts({ outcomes, attemptMs, changeToReceiptMs }: Counts) {
  const { delivered = 0, retrying = 0, exhausted = 0, blocked = 0, cancelled = 0 } = outcomes;
  return {
    attempts: delivered + retrying + exhausted + blocked,
    delivered,
    retrying,
    exhausted,
    blocked,
    cancelled,
    changeToReceiptMs: percentilesOf(changeToReceiptMs),
    attemptMs: percentilesOf(attemptMs),
  };
}

const percentilesSchema = named('Percentiles', {
  ...objectOf<Percentiles>({ p50: count, p95: count, p99: count }),
  description: 'Milliseconds, within 5 %.',
});

export const countFields = {
  attempts: { ...count, description: 'Of all outcomes but `cancelled`, in which none was made.' },
  delivered: count,
  retrying: count,
  exhausted: count,
  blocked: count,
  cancelled: { ...count, description: 'Deliveries that were given up without an attempt.' },
  changeToReceiptMs: {
    ...orNull(percentilesSchema),
    description:
      'From the event to the end of the attempt that delivered it, retries and pauses included, resends and replays not.',
  },
  attemptMs: {
    ...orNull(percentilesSchema),
    description: 'The duration of attempts of all outcomes.',
  },
};

export type PresentedCounts = ReturnType<typeof presentCounts>;

export const completeUntilField = {
  ...time,
  description: 'The counts before this time are final.',
};
