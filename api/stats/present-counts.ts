// The statistics of a range, an interval or a webhook, as shown to clients.
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
  description: 'Milliseconds, accurate to 5 %.',
});

export const countFields = {
  attempts: {
    ...count,
    description:
      'The number of attempts. It does not include `cancelled`, because no attempt was made.',
  },
  delivered: count,
  retrying: count,
  exhausted: count,
  blocked: count,
  cancelled: {
    ...count,
    description: 'The number of deliveries that were cancelled without an attempt.',
  },
  changeToReceiptMs: {
    ...orNull(percentilesSchema),
    description:
      'The time from the event to the end of the successful attempt. Retries and pauses are included; resends and replays are not.',
  },
  attemptMs: {
    ...orNull(percentilesSchema),
    description: 'The duration of attempts with any outcome.',
  },
};

export type PresentedCounts = ReturnType<typeof presentCounts>;

export const completeUntilField = {
  ...time,
  description: 'The counts before this time are final.',
};
