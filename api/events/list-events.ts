// GET …/events: the events of the application without their payloads, newest first.
import { readEvents } from '../../lib/events/event-lists.ts';
import { limits } from '../../lib/limits.ts';
import { entities, subscribedEventNames } from '../../lib/model/event-name.ts';
import { listHandler } from '../http/list-handler.ts';
import { oneOf, parseTime, textUpTo } from '../http/query-values.ts';
import { presentEvent } from './present-event.ts';

const eventFilters = {
  event: oneOf(subscribedEventNames),
  entity: oneOf(entities),
  resourceUid: textUpTo(limits.filterCharactersMax),
  externalTenantId: textUpTo(limits.tenantCharactersMax),
  since: parseTime,
  until: parseTime,
};

/** Without tests of webhooks. `since` is included, `until` is not. */
export const listEvents = listHandler(
  eventFilters,
  async ({ appUid, page, filters }, { store }) => {
    const { items, lastUid } = await readEvents(store, { appUid, ...filters }, page);
    return { data: items.map(presentEvent), lastUid };
  },
);
