import { useQuery } from '@tanstack/react-query';
import { useApp } from './app.tsx';
import { serviceUrl } from './client.ts';

/** A public key of `v1a` (RFC 8037). `x` has its 32 bytes in base64url. */
export interface WebhookKey {
  kid: string;
  x: string;
}

/** The public keys of the webhooks of the application, and where receivers read them. */
export function useWebhookKeys({ isNeeded = true } = {}) {
  const { app, key } = useApp();
  const address = `${serviceUrl}api/v1/appuid/${app.uid}/.well-known/webhook-keys.json`;
  const query = useQuery({
    queryKey: [...key, 'webhookKeys'],
    enabled: isNeeded,
    queryFn: async ({ signal }) => {
      const response = await fetch(address, { signal });
      if (!response.ok) throw new Error(`the service responded with ${response.status}`);
      const { keys } = (await response.json()) as { keys: readonly WebhookKey[] };
      return keys;
    },
  });
  return { address, query };
}
