import type { Settings as SettingsOfService } from '@agent-herald/client';
import { Card, Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useApp } from '../../api/app.tsx';
import { settingsQuery } from '../../api/settings.ts';
import { DataTable } from '../../parts/data-table.tsx';
import { durationWords } from '../../parts/duration-words.ts';
import { Facts } from '../../parts/facts.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { Page } from '../../parts/page.tsx';
import { Tag } from '../../parts/state-badge.tsx';
import { Uid } from '../../parts/uid.tsx';
import { When } from '../../parts/when.tsx';

/** How the service is set, for those who do not run it. */
export function Settings() {
  const settings = useQuery(settingsQuery(useApp()));
  return (
    <Page
      title="Settings"
      about="How this installation is set. Whoever runs the service changes it, for all applications."
    >
      <Loaded query={settings}>{(found) => <Shown settings={found} />}</Loaded>
    </Page>
  );
}

function Shown({ settings }: { settings: SettingsOfService }) {
  const { limits, retention, retrySchedule, signingKeys } = settings;
  return (
    <Stack gap="lg">
      <Group title="Deliveries">
        <Facts
          of={[
            ['Retries', `after ${retrySchedule.map(durationWords).join(', then ')}`],
            [
              'A webhook that fails',
              `is deactivated after ${durationWords(settings.deactivateAfter)}`,
            ],
            ['An attempt', `takes at most ${durationWords(limits.attemptTimeout)}`],
          ]}
        />
        <Text size="sm" c="dimmed" mt="sm">
          For webhooks without a schedule of their own.
        </Text>
      </Group>
      <Group title="What is kept, and how long">
        <Facts
          of={[
            ['Events, settled deliveries, replays', durationWords(retention.records)],
            ['Deliveries held by a pause', durationWords(retention.held)],
            ['Audit log', durationWords(retention.auditLog)],
          ]}
        />
      </Group>
      <Group title="Limits">
        <Facts
          of={[
            ['A request', `${limits.requestBytes.toLocaleString('en')} bytes`],
            ['A payload', `${limits.payloadBytes.toLocaleString('en')} bytes`],
            ['Webhooks of an application', limits.webhooksPerApp.toLocaleString('en')],
          ]}
        />
      </Group>
      <Group title="Tokens of users">
        <Facts of={[['A token ends after', durationWords(settings.userTokenLifetime)]]} />
        <Title order={3} size="h5" mt="lg" mb="xs">
          Signing keys
        </Title>
        <DataTable
          label="Signing keys"
          columns={keyColumns}
          rows={signingKeys}
          keyOf={({ kid }) => kid}
        />
        <Text size="sm" c="dimmed" mt="sm">
          The next key is published before it signs, and a retiring one until its last token has
          ended. A service that checks tokens offline finds the key by its id.
        </Text>
      </Group>
      <Group title="The service">
        <Facts
          of={[
            ['Version', settings.version],
            ['Temporal namespace', settings.temporalNamespace],
          ]}
        />
      </Group>
    </Stack>
  );
}

const stateColors = { next: 'blue', active: 'teal', retiring: 'gray' } as const;

const keyColumns = [
  {
    label: 'Key id',
    cell: ({ kid }: SigningKey) => <Uid value={kid} />,
  },
  {
    label: 'State',
    cell: ({ state }: SigningKey) => <Tag color={stateColors[state]}>{state}</Tag>,
  },
  { label: 'Signs from', cell: ({ signsFrom }: SigningKey) => <When at={signsFrom} /> },
  { label: 'Until', cell: ({ signsUntil }: SigningKey) => <When at={signsUntil} /> },
];

type SigningKey = SettingsOfService['signingKeys'][number];

function Group({ title, children }: { title: string; children: ReactNode }) {
  return (
    <Card withBorder component="section" aria-label={title}>
      <Title order={2} size="h4" mb="sm">
        {title}
      </Title>
      {children}
    </Card>
  );
}
