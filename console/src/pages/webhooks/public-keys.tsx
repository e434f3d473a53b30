import { Stack } from '@mantine/core';
import { useWebhookKeys } from '../../api/webhook-keys.ts';
import { Copyable } from '../../parts/copyable.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { Line } from '../../parts/untrusted.tsx';

/** The address where receivers read the public keys of `v1a`, and the keys as texts. */
export function PublicKeys() {
  const { address, query } = useWebhookKeys();
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
