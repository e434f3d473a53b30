// GET …/events: the events of the application without their payloads, newest first.
import { testEventName } from '../../lib/model/event-name.ts';
import type { EventDocument, EventFacts } from '../../lib/model/event.ts';
import { factsOnly } from '../../lib/events/events.ts';
import { madeWithin, readPage } from '../../lib/mongo/paging.ts';
import { listHandler } from '../http/list-handler.ts';
import { parseTime } from '../http/query-values.ts';
import { presentEvent } from './present-event.ts';

const eventFilters = { since: parseTime, until: parseTime };

/** Without tests of webhooks, which are no changes. `since` is included, `until` is not. */
export const listEvents = listHandler(
  eventFilters,
  async ({ appUid, page, filters }, { store }) => {
    const { items, lastUid } = await readPage<EventDocument, EventFacts>(
      store.events,
      { appUid, event: { $ne: testEventName }, ...madeWithin('evt', filters) },
      { ...page, projection: factsOnly },
    );
    return { data: items.map(presentEvent), lastUid };
  },
);
