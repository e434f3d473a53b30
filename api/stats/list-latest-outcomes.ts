import { limits, statisticsLimits } from '../../lib/limits.ts';
import { attemptStates } from '../../lib/model/attempt.ts';
import { type LatestOutcomes, readLatestOutcomes } from '../../lib/statistics/latest-outcomes.ts';
import { operation, type Operation } from '../http/operation.ts';
import { explained, listUpTo, readFilters } from '../http/query-values.ts';
import { listOf, named, objectOf, oneOfTexts, text } from '../http/schemas.ts';
import type { ApiRequest, Handler, Handling } from '../route.ts';

const { outcomesWebhooksMax, latestOutcomesMax } = statisticsLimits;

const parameters = {
  webhookUids: explained(
    listUpTo(outcomesWebhooksMax, limits.filterCharactersMax),
    `Up to ${outcomesWebhooksMax} uids of webhooks, separated by commas. The default is the first ${outcomesWebhooksMax} webhooks.`,
  ),
};

const listOutcomes: Handling<ApiRequest> = async ({ appUid, query }, { store }) => {
  const given = readFilters(parameters, query).webhookUids;
  const known = await store.webhooks
    .find(
      { appUid, ...(given === null ? {} : { _id: { $in: given } }) },
      { projection: { _id: 1 }, sort: { _id: 1 }, limit: outcomesWebhooksMax },
    )
    .map(({ _id }) => _id)
    .toArray();
  return { status: 200, body: { webhooks: await readLatestOutcomes(store, appUid, known) } };
};

const schema = named(
  'LatestOutcomes',
  objectOf<Record<'webhooks', unknown>>({
    webhooks: {
      ...listOf(
        named(
          'WebhookOutcomes',
          objectOf<LatestOutcomes>({
            webhookUid: text,
            outcomes: {
              ...listOf(oneOfTexts(attemptStates)),
              description: `The current states of the latest ${latestOutcomesMax} deliveries with an attempt, from oldest to newest. Tests are left out.`,
            },
          }),
        ),
      ),
      description: 'The existing webhooks among the requested ones, ordered by uid.',
    },
  }),
);

const facts: Operation = {
  id: 'listLatestOutcomes',
  summary: 'List the latest outcomes by webhook',
  answers: { 200: { description: 'The outcomes', schema } },
};

export const listLatestOutcomes: Handler = operation(facts, listOutcomes, parameters);
