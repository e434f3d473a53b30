import { useDebouncedValue } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { appsQuery } from '../api/app.tsx';
import { callsOf } from '../api/client.ts';
import { webhooksQuery } from '../api/webhooks.ts';
import { findApps, type FindingGroup, findNamed, findPages, findWebhooks } from './findings.ts';
import { lookUp, lookupsOf } from './lookups.ts';
import { recognise, type Recognised } from './recognise.ts';

const typingPauseMs = 250;
const lookupTimeoutMs = 5_000;

export interface Findings {
  groups: FindingGroup[];
  isSearching: boolean;
  /** The names of the kinds that were searched, and of those that could not be. */
  searched: string[];
  failed: string[];
}

/** Returns what a text leads to: by its form, among what the page knows, and among what the service finds. */
export function useFindings(openAppUid: string | undefined, query: string): Findings {
  const { data: apps = [] } = useQuery(appsQuery);
  const recognised = recognise(query, document.baseURI);
  const named = recognised.kind === 'named' ? recognised.appUid : null;
  const appUid = apps.some(({ uid }) => uid === named) ? (named ?? undefined) : openAppUid;
  const local = useLocalGroups(recognised, appUid);
  const [settled] = useDebouncedValue(query, typingPauseMs);
  const isTyping = settled !== query;
  const lookups = appUid === undefined ? [] : lookupsOf(recognised);
  const { data, isFetching } = useQuery({
    queryKey: ['app', appUid, 'search', recognised],
    queryFn: ({ signal }) => {
      const options = { signal, timeoutMs: lookupTimeoutMs };
      return lookUp(lookups, { calls: callsOf(appUid ?? ''), appUid: appUid ?? '', options });
    },
    enabled: !isTyping && lookups.length > 0,
    // The results may be personal data.
    gcTime: 0,
  });
  const isSearching = lookups.length > 0 && (isTyping || isFetching);
  const { groups = [], failed = [] } = (!isSearching && data) || {};
  const all = [...local, ...groups];
  const names = [...local, ...lookups].map(({ name }) => name);
  return {
    groups: all.filter(({ findings }) => findings.length > 0),
    isSearching,
    searched: names.filter((name) => !failed.includes(name)),
    failed,
  };
}

function useLocalGroups(recognised: Recognised, appUid: string | undefined): FindingGroup[] {
  const { data: apps = [] } = useQuery(appsQuery);
  const { data: webhooks = [] } = useQuery({
    ...webhooksQuery(appUid ?? ''),
    enabled: appUid !== undefined,
  });
  if (recognised.kind === 'key') return [];
  if (recognised.kind === 'page') {
    const { path } = recognised;
    const finding = { id: path, label: 'Open this page', detail: path, link: path };
    return [{ name: 'By its address', findings: [finding], isCut: false }];
  }
  if (recognised.kind === 'named') {
    const { named } = recognised;
    const byId = appUid === undefined ? [] : [findNamed(named, appUid)];
    return 'uid' in named ? [...byId, findApps(named.uid, apps)] : byId;
  }
  const { text } = recognised;
  const others = findApps(
    text,
    apps.filter(({ uid }) => uid !== appUid),
  );
  if (appUid === undefined) return [others];
  const found = text === '' ? [] : [findWebhooks(text, webhooks, appUid)];
  return [findPages(text, appUid), ...found, others];
}
