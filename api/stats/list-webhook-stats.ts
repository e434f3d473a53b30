import { statisticsLimits } from '../../lib/limits.ts';
import { readWebhookStatistics } from '../../lib/statistics/read-statistics.ts';
import { listOf, named, objectOf, oneOfTexts, text, time } from '../http/schemas.ts';
import { operation, type Operation } from '../http/operation.ts';
import { explained, oneOf, readFilters } from '../http/query-values.ts';
import type { ApiRequest, Handler, Handling } from '../route.ts';
import {
  completeUntilField,
  countFields,
  type PresentedCounts,
  presentCounts,
} from './present-counts.ts';
import { rangeOf, sinceParameter, untilParameter } from './stats-range.ts';

const { webhookPointsMax, addedUpMax } = statisticsLimits;
const shownIntervals = ['hour', 'day'] as const;

const parameters = {
  interval: explained(
    oneOf(shownIntervals),
    'The unit of the range, in UTC. The default is `hour`.',
  ),
  since: sinceParameter,
  until: untilParameter,
};

const listStats: Handling<ApiRequest> = async ({ appUid, query }, { store, clock }) => {
  const filters = readFilters(parameters, query);
  const interval = filters.interval ?? 'hour';
  const now = clock.now();
  const webhookCount = await store.webhooks.countDocuments({ appUid });
  const pointsMax = Math.min(webhookPointsMax, Math.floor(addedUpMax / webhookCount));
  const range = rangeOf({ ...filters, interval }, now, pointsMax);
  const wanted = { appUid, interval, ...range };
  const { webhooks, completeUntil } = await readWebhookStatistics(store, wanted);
  const body = {
    interval,
    since: range.since.toISOString(),
    until: range.until.toISOString(),
    completeUntil: completeUntil.toISOString(),
    webhooks: webhooks.map(({ webhookUid, counts }) => ({ webhookUid, ...presentCounts(counts) })),
  };
  return { status: 200, body };
};

const webhookStatisticsSchema = named(
  'WebhookStatistics',
  objectOf<Record<'interval' | 'since' | 'until' | 'completeUntil' | 'webhooks', unknown>>({
    interval: oneOfTexts(shownIntervals),
    since: time,
    until: time,
    completeUntil: completeUntilField,
    webhooks: {
      ...listOf(
        named(
          'WebhookCounts',
          objectOf<PresentedCounts & { webhookUid: string }>({ webhookUid: text, ...countFields }),
        ),
      ),
      description: 'The counts of each existing webhook that has any in the range, ordered by uid.',
    },
  }),
);

const facts: Operation = {
  id: 'listWebhookStats',
  summary: 'List delivery statistics by webhook',
  description:
    'The range is at most 31 whole hours or days. With more than 161 webhooks, the maximum is 5,000 divided by their number.',
  answers: { 200: { description: 'The counts', schema: webhookStatisticsSchema } },
};

export const listWebhookStats: Handler = operation(facts, listStats, parameters);
