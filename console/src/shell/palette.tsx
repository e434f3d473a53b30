import '@mantine/spotlight/styles.css';
import {
  createSpotlight,
  Spotlight,
  type SpotlightActionData,
  useSpotlight,
} from '@mantine/spotlight';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { appsQuery } from '../api/app.tsx';
import { webhookLabel, webhooksQuery } from '../api/webhooks.ts';
import { visibleText } from '../parts/visible-text.ts';
import { leadsOf, namedBy } from './leads.ts';
import { pagesOfApp } from './pages.ts';

const [store, { open }] = createSpotlight();

export const openPalette = open;

/** Opens any page, application, webhook, event or delivery by its name or ID. */
export function Palette({ appUid }: { appUid: string | undefined }) {
  const [query, setQuery] = useState('');
  return (
    <Spotlight
      store={store}
      shortcut={null}
      query={query}
      onQueryChange={setQuery}
      onSpotlightOpen={() => setQuery('')}
      actions={useActions(appUid, query)}
      nothingFound="Nothing found. To go to an ID, paste all of it."
      searchProps={{ placeholder: 'Page, webhook or any ID', 'aria-label': 'Go to' }}
      highlightQuery
      limit={12}
      scrollable
      maxHeight={420}
    />
  );
}

function useActions(appUid: string | undefined, query: string): SpotlightActionData[] {
  const navigate = useNavigate();
  const { data: apps = [] } = useQuery(appsQuery);
  const { opened } = useSpotlight(store);
  const { data: webhooks = [] } = useQuery({
    ...webhooksQuery(appUid ?? ''),
    enabled: appUid !== undefined && opened,
  });
  const appActions = apps
    .filter(({ uid }) => uid !== appUid)
    .map(({ uid, name }) => ({
      id: uid,
      label: visibleText(name),
      description: 'Application',
      onClick: () => void navigate({ to: '/apps/$appUid', params: { appUid: uid } }),
    }));
  if (appUid === undefined) return appActions;
  const params = { appUid };
  const pages = pagesOfApp.map(({ label, to }) => ({
    id: to,
    label,
    onClick: () => void navigate({ to, params }),
  }));
  const webhookActions = webhooks.map((webhook) => ({
    id: webhook.uid,
    label: visibleText(webhookLabel(webhook)),
    description: `Webhook ${visibleText(webhook.url)}`,
    keywords: [webhook.uid],
    onClick: () =>
      void navigate({
        to: '/apps/$appUid/webhooks/$webhookUid',
        params: { appUid, webhookUid: webhook.uid },
      }),
  }));
  const named = namedBy(query);
  const leads = named === null ? [] : leadsOf(named, appUid);
  const byId = leads.map(({ label, ...link }) => ({
    id: label,
    label,
    keywords: [query],
    onClick: () => void navigate(link),
  }));
  return [...byId, ...pages, ...webhookActions, ...appActions];
}
