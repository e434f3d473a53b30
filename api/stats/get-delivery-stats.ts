import { inSlices } from '../../lib/concurrency/in-slices.ts';
import { limits } from '../../lib/limits.ts';
import { statisticsIntervals } from '../../lib/model/statistics.ts';
import { readStatistics } from '../../lib/statistics/read-statistics.ts';
import { explained, oneOf, readFilters, textUpTo } from '../http/query-values.ts';
import type { ApiRequest, Handler, Handling } from '../route.ts';
import { findWebhook } from '../webhooks/webhook-fields.ts';
import {
  completeUntilField,
  countFields,
  type PresentedCounts,
  presentCounts,
} from './present-counts.ts';
import { rangeOf, sinceParameter, untilParameter } from './stats-range.ts';
import { listOf, named, objectOf, oneOfTexts, textOrNull, time } from '../http/schemas.ts';
import { operation, type Operation } from '../http/operation.ts';

const parameters = {
  interval: explained(
    oneOf(statisticsIntervals),
    'The length of each point, in UTC. The default is `hour`.',
  ),
  since: sinceParameter,
  until: untilParameter,
  webhookUid: textUpTo(limits.filterCharactersMax),
};

const getStats: Handling<ApiRequest> = async ({ appUid, query }, { store, clock }) => {
  const filters = readFilters(parameters, query);
  const { webhookUid } = filters;
  const interval = filters.interval ?? 'hour';
  const now = clock.now();
  const { since, until } = rangeOf({ ...filters, interval }, now);
  if (webhookUid !== null) await findWebhook(store, { _id: webhookUid, appUid });
  const wanted = { appUid, webhookUid, interval, since, until };
  const { points, totals, completeUntil } = await readStatistics(store, wanted);
  const presented: (PresentedCounts & { at: string })[] = [];
  for await (const { at, counts } of inSlices(points)) {
    presented.push({ at: at.toISOString(), ...presentCounts(counts) });
  }
  const body = {
    webhookUid,
    interval,
    since: since.toISOString(),
    until: until.toISOString(),
    completeUntil: completeUntil.toISOString(),
    totals: presentCounts(totals),
    points: presented,
  };
  return { status: 200, body };
};

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
    completeUntil: completeUntilField,
    totals: named('DeliveryCounts', objectOf<PresentedCounts>(countFields)),
    points: listOf(
      named(
        'DeliveryPoint',
        objectOf<PresentedCounts & { at: string }>({ at: time, ...countFields }),
      ),
    ),
  }),
);

const facts: Operation = {
  id: 'getDeliveryStats',
  summary: 'Get delivery statistics',
  description: 'The statistics count the outcomes of the attempts in a range of time.',
  answers: { 200: { description: 'The counts', schema: statisticsSchema } },
};

/** Throws `not_found` for a deleted webhook or one of another application. */
export const getDeliveryStats: Handler = operation(facts, getStats, parameters);
