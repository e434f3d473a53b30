import { Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useApp } from '../../api/app.tsx';
import { serviceUrl } from '../../api/client.ts';
import { Copyable } from '../../parts/copyable.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { Line } from '../../parts/untrusted.tsx';

/** The address where receivers read the public keys of `v1a`, and the keys as texts. */
export function PublicKeys() {
  const { app, key } = useApp();
  const address = `${serviceUrl}api/v1/appuid/${app.uid}/.well-known/webhook-keys.json`;
  const query = useQuery({
    queryKey: [...key, 'webhookKeys'],
    queryFn: async ({ signal }) => {
      const response = await fetch(address, { signal });
      if (!response.ok) throw new Error(`the service responded with ${response.status}`);
      const { keys } = (await response.json()) as { keys: readonly { kid: string; x: string }[] };
      return keys;
    },
  });
  return (
    <Stack gap="xs">
      <Copyable text={address} copy="Copy address" />
      <Loaded query={query}>
        {(keys) => keys.map(({ kid, x }) => <Line key={kid} text={textOf(x)} />)}
      </Loaded>
    </Stack>
  );
}

/** Returns the key in the form of Standard Webhooks, from the 32 bytes in base64url. */
function textOf(x: string): string {
  return `whpk_${x.replaceAll('-', '+').replaceAll('_', '/')}=`;
}
