import type { ApiKey } from '@agent-herald/client';
import { Stack, Text } from '@mantine/core';
import type { Column } from '../../parts/data-table.tsx';
import { Tag } from '../../parts/state-badge.tsx';
import { Uid } from '../../parts/uid.tsx';
import { Line } from '../../parts/untrusted.tsx';
import { When } from '../../parts/when.tsx';
import { stateOfKey } from './key-state.ts';

/** Returns the columns of a list of keys. `all` resolves references between keys to their public parts. */
export function keyColumns(all: readonly ApiKey[]): Column<ApiKey>[] {
  const keyIds = new Map(all.map(({ uid, keyId }) => [uid, keyId]));
  return [
    {
      label: 'Key',
      cell: ({ name, keyId }) => (
        <Stack gap={0} align="flex-start" miw={130}>
          <Text fw={600} component="div">
            <Line text={name} />
          </Text>
          <Uid value={keyId} />
        </Stack>
      ),
    },
    { label: 'Scopes', cell: ({ scopes }) => scopes.join(', ') },
    {
      label: 'State',
      cell: (apiKey) => (
        <State apiKey={apiKey} successor={keyIds.get(apiKey.rolledTo ?? '') ?? apiKey.rolledTo} />
      ),
    },
    { label: 'Last used', cell: ({ lastUsedAt }) => <When at={lastUsedAt} /> },
    { label: 'Created', cell: ({ createdAt }) => <When at={createdAt} /> },
  ];
}

function State({ apiKey, successor }: { apiKey: ApiKey; successor: string | null }) {
  const { name, color } = stateOfKey(apiKey, new Date());
  return (
    <Stack gap={2} align="flex-start">
      <Tag color={color}>{name}</Tag>
      <Text size="sm" c="dimmed" component="div">
        <End apiKey={apiKey} />
        {successor !== null && (
          <div>
            replaced by <Uid value={successor} />
          </div>
        )}
      </Text>
    </Stack>
  );
}

function End({ apiKey: { state, expiresAt, revokedAt } }: { apiKey: ApiKey }) {
  if (state === 'revoked') {
    return (
      <>
        since <When at={revokedAt} />
      </>
    );
  }
  if (expiresAt === null) return 'has no end date';
  return (
    <>
      {state === 'expired' ? 'since' : 'expires'} <When at={expiresAt} />
    </>
  );
}
