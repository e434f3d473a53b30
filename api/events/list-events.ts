// GET …/events: what happened in the application, newest first.
import { testEventName } from '../../lib/model/event-name.ts';
import type { EventDocument, EventFacts } from '../../lib/model/event.ts';
import { factsOnly } from '../../lib/events/events.ts';
import { madeWithin, readPage } from '../../lib/mongo/paging.ts';
import { listHandler } from '../http/list-handler.ts';
import { parseTime } from '../http/query-values.ts';
import { presentEvent } from './present-event.ts';

/** The parameters of the list: `since` is included, `until` is not. */
const eventFilters = { since: parseTime, until: parseTime };

/** Gives a page of events without their payloads. A test of a webhook is no change and is left out. */
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
