import type { Webhook } from '@agent-herald/client';
import { queryOptions, useQuery } from '@tanstack/react-query';
import { type CurrentApp, useApp } from './app.tsx';

function webhooksQuery({ calls, key }: Pick<CurrentApp, 'calls' | 'key'>) {
  return queryOptions({
    queryKey: [...key, 'webhooks', 'names'],
    queryFn: async ({ signal }) => {
      const webhooks: Webhook[] = [];
      for await (const webhook of calls.webhooks.list({ signal })) webhooks.push(webhook);
      return webhooks;
    },
  });
}

const none: readonly Webhook[] = [];

/** Returns the webhooks of the application; none until they are known. */
export function useWebhooks(): readonly Webhook[] {
  const { data } = useQuery(webhooksQuery(useApp()));
  return data ?? none;
}

/** Returns the name of a webhook, or its URL. */
export function webhookLabel({ name, url }: Pick<Webhook, 'name' | 'url'>): string {
  return name ?? url;
}
