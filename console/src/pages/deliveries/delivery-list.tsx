import { deliveryStates, errorClasses, eventNames, statusClasses } from '@agent-herald/client';
import { useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { useApp } from '../../api/app.tsx';
import type { AppCalls } from '../../api/client.ts';
import { useKnownWebhooks } from '../../api/webhooks.ts';
import { ChoiceFilter, Filters, OneOfFilter, PeriodFilter } from '../../parts/filters.tsx';
import { List } from '../../parts/list.tsx';
import { Empty, Page } from '../../parts/page.tsx';
import { TenantFilter } from '../../parts/tenant-filter.tsx';
import { webhookChoices } from '../../parts/webhook-choices.ts';
import { listRefreshMsOf } from './delivery-refresh.ts';
import { DeliveryTable, type Keys } from './delivery-table.tsx';
import { streamQueryOf } from './stream-query.ts';
import { useLiveList } from './use-live-list.tsx';

type Query = NonNullable<Parameters<AppCalls['deliveries']['list']>[0]>;

const none: Keys = new Set();
const outcomes = [
  { name: 'state', label: 'State', values: deliveryStates },
  { name: 'statusClass', label: 'Last response', values: statusClasses },
  { name: 'errorClass', label: 'Last failure', values: errorClasses },
];

/** The deliveries of all webhooks. The list follows new events by itself. */
export function DeliveryList() {
  const { calls, key } = useApp();
  const search = useSearch({ from: '/signed-in/apps/$appUid/deliveries' });
  const filters = JSON.stringify(search);
  const [selection, setSelection] = useState({ filters, keys: none });
  const keys = selection.filters === filters ? selection.keys : none;
  const setKeys = (next: Keys): void => setSelection({ filters, keys: next });
  const { list, state, button } = useLiveList({
    about: 'Each row is one event sent to one webhook.',
    key: [...key, 'deliveries', search],
    // The service rejects invalid filters that somebody typed into the address.
    list: (paging, options) => calls.deliveries.list({ ...(search as Query), ...paging }, options),
    refreshMs: listRefreshMsOf,
    query: streamQueryOf(search),
    selectedCount: keys.size,
    onResume: () => setKeys(none),
  });
  return (
    <Page title="Deliveries" about={state} actions={button}>
      <DeliveryFilters />
      <List of={list} hasFilters isLive empty={<NoDeliveries isFiltered={filters !== '{}'} />}>
        {(rows) => <DeliveryTable {...{ rows, keys, setKeys }} />}
      </List>
    </Page>
  );
}

function NoDeliveries({ isFiltered }: { isFiltered: boolean }) {
  return isFiltered ? (
    <Empty title="No deliveries match">Clear a filter to see more.</Empty>
  ) : (
    <Empty title="No deliveries yet">
      Make a change, or send a test event from a webhook’s page.
    </Empty>
  );
}

function DeliveryFilters() {
  const webhooks = webhookChoices(useKnownWebhooks());
  return (
    <Filters>
      <OneOfFilter label="Outcome" groups={outcomes} />
      <ChoiceFilter name="webhookUid" label="Webhook" choices={webhooks} />
      <TenantFilter />
      <PeriodFilter names={['event']}>
        <ChoiceFilter name="event" label="Event" choices={eventNames} />
      </PeriodFilter>
    </Filters>
  );
}
