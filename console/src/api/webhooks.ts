import type { Webhook } from '@agent-herald/client';
import { queryOptions, useQuery } from '@tanstack/react-query';
import { useApp } from './app.tsx';
import { callsOf } from './client.ts';

const refreshMs = 10_000;
const namesFreshMs = 60_000;

/** All webhooks of an application, for their names. One response contains all of them. */
export function webhooksQuery(appUid: string) {
  return queryOptions({
    queryKey: ['app', appUid, 'webhooks', 'all'],
    queryFn: async ({ signal }) => {
      const { data } = await callsOf(appUid).webhooks.list({ signal }).page();
      return data;
    },
    staleTime: namesFreshMs,
  });
}

/** The webhooks for pages that show their health. Refreshed regularly. */
export function useWebhooks() {
  const { app } = useApp();
  return useQuery({
    ...webhooksQuery(app.uid),
    staleTime: refreshMs,
    refetchInterval: refreshMs,
  });
}

const none: readonly Webhook[] = [];

/** Returns the webhooks for pages that only show their names; none until they are loaded. */
export function useKnownWebhooks(): readonly Webhook[] {
  const { app } = useApp();
  return useQuery(webhooksQuery(app.uid)).data ?? none;
}

const idShown = 6;

/** Returns the name of a webhook, or the end of its ID and its description or URL, which others may have, too. */
export function webhookLabel({
  name,
  description = null,
  url,
  uid,
}: Pick<Webhook, 'name' | 'url' | 'uid'> & Partial<Pick<Webhook, 'description'>>): string {
  return name ?? `(…${uid.slice(-idShown)}) ${description ?? url}`;
}
