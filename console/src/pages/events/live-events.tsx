import { useSearch } from '@tanstack/react-router';
import { useApp } from '../../api/app.tsx';
import type { StreamQuery } from '../../api/event-stream.ts';
import { List } from '../../parts/list.tsx';
import { Empty, Page } from '../../parts/page.tsx';
import { useLiveList } from '../deliveries/use-live-list.tsx';
import { EventFilters } from './event-filters.tsx';
import { EventTable } from './event-table.tsx';

const refreshMs = 10_000;

/** The latest events, followed by new ones as they happen. */
export function LiveEvents() {
  const { calls, key } = useApp();
  const search = useSearch({ from: '/signed-in/apps/$appUid/events/live' });
  const query = search as StreamQuery;
  const { list, state, button } = useLiveList({
    about: 'Every recorded change, as it happens.',
    key: [...key, 'events', 'live', query],
    list: (paging, options) => calls.events.list({ ...query, ...paging }, options),
    refreshMs,
    query,
  });
  return (
    <Page title="Live events" about={state} actions={button}>
      <EventFilters />
      <List
        of={list}
        hasFilters
        isLive
        empty={<Empty title="No events yet">New events appear here within a second.</Empty>}
      >
        {(rows) => <EventTable label="Live events" rows={rows} />}
      </List>
    </Page>
  );
}
