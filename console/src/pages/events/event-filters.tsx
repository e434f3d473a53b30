import { entities, subscribedEventNames } from '@agent-herald/client';
import type { ReactNode } from 'react';
import { ChoiceFilter, Filters, TextFilter } from '../../parts/filters.tsx';
import { TenantFilter } from '../../parts/tenant-filter.tsx';

/** The filters that the list and the live stream of events share. */
export function EventFilters({ children }: { children?: ReactNode }) {
  return (
    <Filters>
      <ChoiceFilter name="event" label="Event" choices={subscribedEventNames} />
      <ChoiceFilter name="entity" label="Resource type" choices={entities} />
      <TextFilter name="resourceUid" label="Resource ID" placeholder="agt_…" />
      <TenantFilter />
      {children}
    </Filters>
  );
}
