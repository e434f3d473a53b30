import { readEvents } from '../../lib/events/event-lists.ts';
import { limits } from '../../lib/limits.ts';
import { entities, subscribedEventNames } from '../../lib/model/event-name.ts';
import { listHandler } from '../http/list-handler.ts';
import { explained, oneOf, identifierUpTo, parseTime } from '../http/query-values.ts';
import { eventSchema, presentEvent } from './present-event.ts';
import { operation, type Operation, pageOf } from '../http/operation.ts';

export const eventFilters = {
  event: oneOf(subscribedEventNames),
  entity: explained(oneOf(entities), 'Of the resource that changed.'),
  resourceUid: identifierUpTo(limits.nameCharactersMax),
  externalTenantId: explained(identifierUpTo(limits.tenantCharactersMax), 'Compared exactly.'),
  since: explained(parseTime, 'Recorded from this time on, in ISO 8601 with an offset.'),
  until: explained(parseTime, 'Recorded before this time.'),
};

const facts: Operation = {
  id: 'listEvents',
  summary: 'Lists the events without their payloads, newest first',
  answers: { 200: pageOf(eventSchema) },
};

/** Without tests of webhooks. `since` is included, `until` is not. */
export const listEvents = operation(
  facts,
  listHandler(eventFilters, async ({ appUid, page, filters }, { store }) => {
    const { items, lastUid } = await readEvents(store, { appUid, ...filters }, page);
    return { data: items.map(presentEvent), lastUid };
  }),
);
