import { useSearch } from '@tanstack/react-router';
import { useApp } from '../../api/app.tsx';
import type { AppCalls } from '../../api/client.ts';
import { PeriodFilter } from '../../parts/filters.tsx';
import { List, useList } from '../../parts/list.tsx';
import { Empty, Page } from '../../parts/page.tsx';
import { EventFilters } from './event-filters.tsx';
import { EventTable } from './event-table.tsx';

type Query = NonNullable<Parameters<AppCalls['events']['list']>[0]>;

const refreshMs = 10_000;

/** All events of the application, newest first. */
export function EventList() {
  const { calls, key } = useApp();
  const search = useSearch({ from: '/signed-in/apps/$appUid/events' });
  const list = useList({
    key: [...key, 'events', search],
    // The service rejects invalid filters that somebody typed into the address.
    list: (paging, options) => calls.events.list({ ...(search as Query), ...paging }, options),
    refreshMs,
  });
  const isFiltered = Object.keys(search).length > 0;
  return (
    <Page title="Events" about="Every recorded change, with or without a subscribed webhook.">
      <EventFilters>
        <PeriodFilter />
      </EventFilters>
      <List
        of={list}
        hasFilters
        empty={
          <Empty title={isFiltered ? 'No events match' : 'No events yet'}>
            {isFiltered
              ? 'Tenants and resources must match exactly. Clear a filter to see more.'
              : 'An event is recorded when your platform changes an agent, a context or a file.'}
          </Empty>
        }
      >
        {(rows) => <EventTable label="Events" rows={rows} />}
      </List>
    </Page>
  );
}
