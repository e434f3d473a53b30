import { Button } from '@mantine/core';
import { useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { useApp } from '../../api/app.tsx';
import type { AppCalls } from '../../api/client.ts';
import { eventNames } from '../../api/event-names.ts';
import { useKnownWebhooks } from '../../api/webhooks.ts';
import { ChoiceFilter, Filters, PeriodFilter } from '../../parts/filters.tsx';
import { List, useList } from '../../parts/list.tsx';
import { Empty, Page } from '../../parts/page.tsx';
import { TenantFilter } from '../../parts/tenant-filter.tsx';
import { webhookChoices } from '../../parts/webhook-choices.ts';
import { listRefreshMsOf, pauseReasonOf } from './delivery-refresh.ts';
import { DeliveryTable, type Keys } from './delivery-table.tsx';
import { errorClasses } from './error-classes.ts';
import { LiveState } from './live-state.tsx';
import { streamQueryOf } from './stream-query.ts';
import { useFollowing } from './use-following.ts';

type Query = NonNullable<Parameters<AppCalls['deliveries']['list']>[0]>;

const none: Keys = new Set();
const states = [
  'pending',
  'retrying',
  'delivered',
  'exhausted',
  'held',
  'blocked',
  'cancelled',
] as const;
const statusClasses = ['2xx', '3xx', '4xx', '5xx', '1xx', { value: 'none', label: 'no response' }];

/** The deliveries of all webhooks. The list follows new events by itself. */
export function DeliveryList() {
  const { calls, key: appKey } = useApp();
  const search = useSearch({ from: '/signed-in/apps/$appUid/deliveries' });
  const filters = JSON.stringify(search);
  const [isPausedByPerson, setPaused] = useState(false);
  const [selection, setSelection] = useState({ filters, keys: none });
  const keys = selection.filters === filters ? selection.keys : none;
  const setKeys = (next: Keys): void => setSelection({ filters, keys: next });
  const key = [...appKey, 'deliveries', search];
  const list = useList({
    key,
    // The service rejects invalid filters that somebody typed into the address.
    list: (paging, options) => calls.deliveries.list({ ...(search as Query), ...paging }, options),
    refreshMs: listRefreshMsOf,
    isPaused: isPausedByPerson || keys.size > 0,
  });
  const pageCount = list.data?.pages.length ?? 0;
  const pauseReason = pauseReasonOf({ isPausedByPerson, selectedCount: keys.size, pageCount });
  const isPaused = pauseReason !== null;
  const following = useFollowing({ list, key, query: streamQueryOf(search), isPaused });
  const resume = (): void => {
    setPaused(false);
    setKeys(none);
    following.showNewest();
    window.scrollTo(0, 0);
  };
  return (
    <Page
      title="Deliveries"
      about="Each row is one event sent to one webhook."
      actions={
        <Button variant="default" onClick={isPaused ? resume : () => setPaused(true)}>
          {isPaused ? resumeLabel(following.missedCount) : 'Pause'}
        </Button>
      }
    >
      <DeliveryFilters />
      <LiveState {...following} pauseReason={pauseReason} />
      <List of={list} hasFilters isLive empty={<NoDeliveries isFiltered={filters !== '{}'} />}>
        {(rows) => <DeliveryTable {...{ rows, keys, setKeys }} />}
      </List>
    </Page>
  );
}

function resumeLabel(missedCount: number): string {
  if (missedCount === 0) return 'Resume';
  return `Resume (${missedCount} new ${missedCount === 1 ? 'event' : 'events'})`;
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
      <ChoiceFilter name="state" label="State" choices={states} />
      <ChoiceFilter name="statusClass" label="Last response" choices={statusClasses} />
      <ChoiceFilter name="errorClass" label="Failure" choices={errorClasses} />
      <ChoiceFilter name="event" label="Event" choices={eventNames} />
      <ChoiceFilter name="webhookUid" label="Webhook" choices={webhooks} />
      <TenantFilter />
      <PeriodFilter />
    </Filters>
  );
}
