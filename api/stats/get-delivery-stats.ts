// GET …/stats/deliveries: what became of the attempts of a range, of the application or of one webhook.
import { limits } from '../../lib/limits.ts';
import { type Counts, statisticsIntervals } from '../../lib/model/statistics.ts';
import { percentilesOf } from '../../lib/statistics/histogram.ts';
import { readStatistics } from '../../lib/statistics/read-statistics.ts';
import { oneOf, parseTime, readFilters, textUpTo } from '../http/query-values.ts';
import type { Handler } from '../router.ts';
import { findWebhook } from '../webhooks/webhook-fields.ts';
import { rangeOf } from './stats-range.ts';

const parameters = {
  interval: oneOf(statisticsIntervals),
  since: parseTime,
  until: parseTime,
  webhookUid: textUpTo(limits.filterCharactersMax),
};

const getStats: Handler = async ({ appUid, query }, { store, clock }) => {
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

/** Throws `not_found` for a webhook that is none of the application's, or deleted. */
export const getDeliveryStats: Handler = Object.assign(getStats, {
  parameters: Object.keys(parameters),
});

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
