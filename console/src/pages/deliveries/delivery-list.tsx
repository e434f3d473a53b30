import { useSearch } from '@tanstack/react-router';
import { useApp } from '../../api/app.tsx';
import type { AppCalls } from '../../api/client.ts';
import { eventNames } from '../../api/event-names.ts';
import { useKnownWebhooks } from '../../api/webhooks.ts';
import { ChoiceFilter, Filters, PeriodFilter, TextFilter } from '../../parts/filters.tsx';
import { List, useList } from '../../parts/list.tsx';
import { Empty, Page } from '../../parts/page.tsx';
import { webhookChoices } from '../../parts/webhook-choices.ts';
import { DeliveryTable } from './delivery-table.tsx';
import { errorClasses } from './error-classes.ts';

type Query = NonNullable<Parameters<AppCalls['deliveries']['list']>[0]>;

const refreshMs = 10_000;
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

/** The deliveries of all webhooks. */
export function DeliveryList() {
  const { calls, key } = useApp();
  const search = useSearch({ from: '/signed-in/apps/$appUid/deliveries' });
  const list = useList({
    key: [...key, 'deliveries', search],
    // The service rejects invalid filters that somebody typed into the address.
    list: (paging, options) => calls.deliveries.list({ ...(search as Query), ...paging }, options),
    refreshMs,
  });
  const isFiltered = Object.keys(search).length > 0;
  return (
    <Page title="Deliveries" about="Each row is one event sent to one webhook.">
      <DeliveryFilters />
      <List
        of={list}
        hasFilters
        empty={
          <Empty title={isFiltered ? 'No deliveries match' : 'No deliveries yet'}>
            {isFiltered
              ? 'Clear a filter to see more. A delivery is listed after its first attempt.'
              : 'A delivery is listed after its first attempt. Send a test event from a webhook’s page to see one.'}
          </Empty>
        }
      >
        {(rows) => <DeliveryTable rows={rows} />}
      </List>
    </Page>
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
      <TextFilter name="externalTenantId" label="Tenant" />
      <PeriodFilter />
    </Filters>
  );
}
