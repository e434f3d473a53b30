// GET …/events: what happened in the application, newest first.
import { testEventName } from '../../lib/events.ts';
import { readPage } from '../../lib/store/paging.ts';
import { listHandler } from '../http/list-handler.ts';
import { presentEvent } from './present-event.ts';

/** Gives a page of events without their payloads. A test of a webhook is no change and is left out. */
export const listEvents = listHandler({}, async ({ appUid, page }, { store }) => {
  const { items, lastUid } = await readPage(
    store.events,
    { appUid, event: { $ne: testEventName } },
    page,
  );
  return { data: items.map(presentEvent), lastUid };
});
