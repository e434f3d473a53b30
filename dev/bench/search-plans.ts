import type { Document } from 'mongodb';
import { searchOf as searchDeliveries } from '../../lib/history/delivery-lists.ts';
import { searchOf as searchEvents } from '../../lib/events/event-lists.ts';
import { limits } from '../../lib/limits.ts';
import type { Store } from '../../lib/mongo/connect.ts';
import type { SearchToMeasure } from './search-filters.ts';

export interface SearchPlan {
  keys: number;
  documents: number;
  isSorted: boolean;
}

/** Has MongoDB explain the first page of a search, as the API reads it. */
export async function explainSearch(
  { deliveries, events }: Store,
  appUid: string,
  { list, filters }: SearchToMeasure,
): Promise<SearchPlan> {
  const time = (name: string): Date | null =>
    filters[name] === undefined ? null : new Date(filters[name]);
  const unasked = { ...notAskedFor, ...filters, since: time('since'), until: time('until') };
  const wanted = { ...unasked, appUid } as unknown as Parameters<typeof searchDeliveries>[0] &
    Parameters<typeof searchEvents>[0];
  const search = list === 'events' ? searchEvents(wanted) : searchDeliveries(wanted);
  if (search === null) return { keys: 0, documents: 0, isSorted: false };
  const collection = list === 'events' ? events : deliveries;
  const { executionStats } = (await (collection as unknown as Store['deliveries'])
    .find(search.filter as object, { hint: search.hint })
    .sort({ _id: -1 })
    .limit(limits.pageSizeDefault + 1)
    .explain('executionStats')) as { executionStats: Document };
  return {
    keys: Number(executionStats['totalKeysExamined']),
    documents: Number(executionStats['totalDocsExamined']),
    isSorted: JSON.stringify(executionStats).includes('"stage":"SORT"'),
  };
}

const notAskedFor = {
  webhookUid: null,
  externalTenantId: null,
  event: null,
  entity: null,
  resourceUid: null,
  state: null,
  statusClass: null,
  errorClass: null,
};
