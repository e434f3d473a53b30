import { readEvents } from '../../lib/events/event-lists.ts';
import { limits } from '../../lib/limits.ts';
import { entities, subscribedEventNames } from '../../lib/model/event-name.ts';
import { listHandler } from '../http/list-handler.ts';
import { explained, oneOf, identifierUpTo, parseTime } from '../http/query-values.ts';
import { eventSchema, presentEvent } from './present-event.ts';
import { operation, type Operation, pageOf } from '../http/operation.ts';

export const eventFilters = {
  event: oneOf(subscribedEventNames),
  entity: explained(oneOf(entities), 'The uid of the changed resource.'),
  resourceUid: identifierUpTo(limits.nameCharactersMax),
  externalTenantId: explained(
    identifierUpTo(limits.tenantCharactersMax),
    'The tenant, compared exactly.',
  ),
  since: explained(parseTime, 'Events recorded at or after this time, in ISO 8601 with an offset.'),
  until: explained(parseTime, 'Events recorded before this time.'),
};

const facts: Operation = {
  id: 'listEvents',
  summary: 'List events',
  description: 'The list does not contain payloads. It is ordered from newest to oldest.',
  answers: { 200: pageOf(eventSchema) },
};

/** Excludes tests of webhooks. `since` is inclusive, `until` exclusive. */
export const listEvents = operation(
  facts,
  listHandler(eventFilters, async ({ appUid, page, filters }, { store }) => {
    const { items, lastUid } = await readEvents(store, { appUid, ...filters }, page);
    return { data: items.map(presentEvent), lastUid };
  }),
);
