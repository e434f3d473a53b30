// GET …/events: what happened in the application, newest first.
import { testEventName } from '../../lib/events.ts';
import { readPage } from '../../lib/store/paging.ts';
import { cursorAfter, readPageQuery } from '../http/page-query.ts';
import type { Handler } from '../http/router.ts';
import { presentEvent } from './present-event.ts';

/** Gives a page of events without their payloads. A test of a webhook is no change and is left out. */
export const listEvents: Handler = async ({ appUid, query }, context) => {
  const page = await readPage(
    context.store.events,
    { appUid, event: { $ne: testEventName } },
    readPageQuery(query),
  );
  const data = page.items.map(presentEvent);
  return { status: 200, body: { data, nextCursor: cursorAfter(page.lastUid) } };
};
