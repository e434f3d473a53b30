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

/** The settings of the service, for people who do not operate it. */
export function Settings() {
  const settings = useQuery(settingsQuery(useApp()));
  return (
    <Page
      title="Settings"
      about="These settings apply to all applications. Only the operators of the service can change them."
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
            ['Failing webhooks', `deactivated after ${durationWords(settings.deactivateAfter)}`],
            [
              'Context files',
              `reported after processing for ${durationWords(settings.processingOverdueAfter)}`,
            ],
            ['Attempt timeout', durationWords(limits.attemptTimeout)],
            ['Requests come from', settings.egressAddresses.join(', ') || 'unknown addresses'],
          ]}
        />
        <Text size="sm" c="dimmed" mt="sm">
          A webhook can have a retry schedule of its own.
        </Text>
      </Group>
      <Group title="Retention">
        <Facts
          of={[
            ['Events, finished deliveries, replays', durationWords(retention.records)],
            ['Held deliveries', durationWords(retention.held)],
            ['Audit log', durationWords(retention.auditLog)],
          ]}
        />
      </Group>
      <Group title="Limits">
        <Facts
          of={[
            ['Request size', `up to ${limits.requestBytes.toLocaleString('en')} bytes`],
            ['Payload size', `up to ${limits.payloadBytes.toLocaleString('en')} bytes`],
            ['Webhooks per application', `up to ${limits.webhooksPerApp.toLocaleString('en')}`],
          ]}
        />
      </Group>
      <Group title="User tokens">
        <Facts of={[['Lifetime', durationWords(settings.userTokenLifetime)]]} />
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
          The next key is published before it signs. A retiring key stays published until its last
          token expires. Services that check tokens offline find the key by its ID.
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
    label: 'Key ID',
    cell: ({ kid }: SigningKey) => <Uid value={kid} />,
  },
  {
    label: 'State',
    cell: ({ state }: SigningKey) => <Tag color={stateColors[state]}>{state}</Tag>,
  },
  { label: 'Signs from', cell: ({ signsFrom }: SigningKey) => <When at={signsFrom} /> },
  { label: 'Signs until', cell: ({ signsUntil }: SigningKey) => <When at={signsUntil} /> },
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
