import type { Webhook } from '@agent-herald/client';
import { useQuery } from '@tanstack/react-query';
import { useApp } from './app.tsx';

const refreshMs = 10_000;

/** All webhooks of the application: an answer has all of them. */
export function useWebhooks() {
  const { calls, key } = useApp();
  return useQuery({
    queryKey: [...key, 'webhooks', 'all'],
    queryFn: async ({ signal }) => {
      const { data } = await calls.webhooks.list({ signal }).page();
      return data;
    },
    refetchInterval: refreshMs,
  });
}

const none: readonly Webhook[] = [];

/** Returns the webhooks whose names a page shows beside what it is about; none until they are known. */
export function useKnownWebhooks(): readonly Webhook[] {
  return useWebhooks().data ?? none;
}

/** Returns the name of a webhook, or its URL. */
export function webhookLabel({ name, url }: Pick<Webhook, 'name' | 'url'>): string {
  return name ?? url;
}
