import type { Findings } from './use-findings.ts';

const searched =
  'Searches pages, webhooks, users, accounts, tenants, resources, API keys and any ID. Payloads are not searched.';
const searchedOutside = 'Searches applications. To search in one, open it first.';
const rules =
  'Names and tenants match from their beginning. Emails, external IDs and resource IDs must be complete.';

/** Returns the line below the search: what is searched, or what was found. */
export function summarise(query: string, found: Findings, isInApp: boolean): string {
  if (query.trim() === '') return isInApp ? searched : searchedOutside;
  if (found.isSearching) return 'Searching…';
  const failed = found.failed.length === 0 ? '' : ` Could not search ${listOf(found.failed)}.`;
  const count = found.groups.reduce((sum, { findings }) => sum + findings.length, 0);
  const more = found.groups.some(({ isCut }) => isCut) ? ' There are more: narrow them.' : '';
  if (count > 0) return `${count} ${count === 1 ? 'result' : 'results'}.${more}${failed}`;
  if (!isInApp) return `Nothing found. ${searchedOutside}`;
  const kinds = found.searched.length === 0 ? '' : ` in ${listOf(found.searched)}`;
  return `Nothing found${kinds}.${failed} ${rules}`;
}

function listOf(names: readonly string[]): string {
  const words = names.map((name) => (name.startsWith('API') ? name : name.toLowerCase()));
  return words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} and ${words.at(-1)}`;
}
