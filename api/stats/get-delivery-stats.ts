// GET …/stats/deliveries: what became of the attempts of a range, of the application or of one webhook.
import { limits } from '../../lib/limits.ts';
import { type Counts, statisticsIntervals } from '../../lib/model/statistics.ts';
import { type Percentiles, percentilesOf } from '../../lib/statistics/histogram.ts';
import { readStatistics } from '../../lib/statistics/read-statistics.ts';
import { explained, oneOf, parseTime, readFilters, textUpTo } from '../http/query-values.ts';
import type { ApiRequest, Handler, Handling } from '../router.ts';
import { findWebhook } from '../webhooks/webhook-fields.ts';
import { rangeOf } from './stats-range.ts';
import {
  count,
  listOf,
  named,
  objectOf,
  oneOfTexts,
  orNull,
  textOrNull,
  time,
} from '../http/schemas.ts';
import { operation, type Operation } from '../http/operation.ts';

const parameters = {
  interval: explained(
    oneOf(statisticsIntervals),
    'The length of a point, in UTC; `hour` by default.',
  ),
  since: explained(
    parseTime,
    'By default an hour of minutes, a day of hours or 30 days of days before `until`.',
  ),
  until: explained(parseTime, 'Now by default. The range is extended to whole intervals.'),
  webhookUid: textUpTo(limits.filterCharactersMax),
};

const getStats: Handling<ApiRequest> = async ({ appUid, query }, { store, clock }) => {
  const asked = readFilters(parameters, query);
  const { webhookUid } = asked;
  const interval = asked.interval ?? 'hour';
  const now = clock.now();
  const { since, until } = rangeOf({ ...asked, interval }, now);
  if (webhookUid !== null) await findWebhook(store, { _id: webhookUid, appUid });
  const wanted = { appUid, webhookUid, interval, since, until };
  const { points, totals, completeUntil } = await readStatistics(store, wanted, now);
  const body = {
    webhookUid,
    interval,
    since: since.toISOString(),
    until: until.toISOString(),
    completeUntil: completeUntil.toISOString(),
    totals: presentCounts(totals),
    points: points.map(({ at, counts }) => ({ at: at.toISOString(), ...presentCounts(counts) })),
  };
  return { status: 200, body };
};

const percentilesSchema = named('Percentiles', {
  ...objectOf<Percentiles>({ p50: count, p95: count, p99: count }),
  description: 'Milliseconds, within 5 %.',
});

const counts = {
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

type PresentedCounts = ReturnType<typeof presentCounts>;

const statisticsSchema = named(
  'DeliveryStatistics',
  objectOf<
    Record<
      'webhookUid' | 'interval' | 'since' | 'until' | 'completeUntil' | 'totals' | 'points',
      unknown
    >
  >({
    webhookUid: textOrNull,
    interval: oneOfTexts(statisticsIntervals),
    since: time,
    until: time,
    completeUntil: { ...time, description: 'The counts before this time are final.' },
    totals: named('DeliveryCounts', objectOf<PresentedCounts>(counts)),
    points: listOf(
      named('DeliveryPoint', objectOf<PresentedCounts & { at: string }>({ at: time, ...counts })),
    ),
  }),
);

const facts: Operation = {
  id: 'getDeliveryStats',
  summary: 'Counts what became of the attempts of a range',
  answers: { 200: { description: 'The counts', schema: statisticsSchema } },
};

/** Throws `not_found` for a webhook that is none of the application's, or deleted. */
export const getDeliveryStats: Handler = operation(
  facts,
  Object.assign(getStats, {
    parameters,
  }),
);

function presentCounts({ outcomes, attemptMs, changeToReceiptMs }: Counts) {
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
