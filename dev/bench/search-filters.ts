// The searches that are measured: every combination of two sets of filters, which seldom or often go together.
import type { BenchApp } from './app.ts';
import { downTenant, hookOf, hotResource, hugeTenant, rareEvent } from './search-corpus.ts';

export type SearchedList = 'events' | 'deliveries';
export type Filters = Readonly<Record<string, string>>;

export interface SearchToMeasure {
  list: SearchedList;
  filters: Filters;
}

const dayMs = 24 * 60 * 60 * 1_000;
const ago = (days: number): string => new Date(Date.now() - days * dayMs).toISOString();

/** Returns the searches, those without filters and with one first. */
export function searchesOf({ hookUids }: BenchApp): SearchToMeasure[] {
  const since = { since: ago(9), until: ago(2) };
  const deliveries: Filters[] = [
    {
      state: 'exhausted',
      statusClass: 'none',
      errorClass: 'timeout',
      webhookUid: hookOf(hookUids, hugeTenant),
      event: rareEvent,
      externalTenantId: hugeTenant,
      ...since,
    },
    {
      state: 'exhausted',
      statusClass: '5xx',
      errorClass: 'status',
      webhookUid: hookUids[0] ?? '',
      event: 'agent.updated',
      externalTenantId: downTenant,
      ...since,
    },
    {
      state: 'delivered',
      statusClass: '2xx',
      webhookUid: hookOf(hookUids, downTenant),
      event: 'agent.created',
      externalTenantId: 'tenant-7',
      ...since,
    },
  ];
  const events: Filters[] = [
    {
      event: 'agent.updated',
      entity: 'agent',
      resourceUid: hotResource,
      externalTenantId: hugeTenant,
      ...since,
    },
    {
      event: rareEvent,
      entity: 'contextfile',
      resourceUid: 'bot-17',
      externalTenantId: downTenant,
      ...since,
    },
    // The resource is another tenant's.
    { resourceUid: hotResource, externalTenantId: downTenant, ...since },
  ];
  const all = [...combine('deliveries', deliveries), ...combine('events', events)];
  return all.toSorted((one, other) => countOf(one) - countOf(other));
}

/** Returns the number of a search's filters, in which a time range counts as one. */
export function countOf({ filters }: SearchToMeasure): number {
  return Object.keys(filters).filter((name) => name !== 'until').length;
}

// Each combination once, `since` and `until` together.
function combine(list: SearchedList, sets: readonly Filters[]): SearchToMeasure[] {
  const found = new Map<string, SearchToMeasure>();
  for (const { until, ...filters } of sets) {
    const entries = Object.entries(filters);
    for (let bits = 0; bits < 2 ** entries.length; bits += 1) {
      const chosen = Object.fromEntries(entries.filter((_, index) => (bits >> index) % 2 === 1));
      const isTimed = chosen['since'] !== undefined && until !== undefined;
      const search = { list, filters: isTimed ? { ...chosen, until } : chosen };
      found.set(JSON.stringify(search), search);
    }
  }
  return [...found.values()];
}
