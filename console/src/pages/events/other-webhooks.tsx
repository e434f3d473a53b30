import type { EventWithPayload, ExplainedWebhook, Webhook } from '@agent-herald/client';
import { Button, Text, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useApp } from '../../api/app.tsx';
import { useKnownWebhooks, webhookLabel } from '../../api/webhooks.ts';
import { type Column, DataTable } from '../../parts/data-table.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { Section } from '../../parts/section.tsx';
import { WebhookName } from '../deliveries/delivery-columns.tsx';
import { missedReason } from './missed-reason.ts';

const shownAtFirst = 10;

/** Why the event did not reach the webhooks without a delivery. */
export function OtherWebhooks({ event }: { event: EventWithPayload }) {
  const { calls, key } = useApp();
  const query = useQuery({
    queryKey: [...key, 'events', event.eventId, 'webhooks'],
    queryFn: async ({ signal }) => {
      const { data } = await calls.events.webhooks(event.eventId, { signal }).page();
      return data.filter(({ outcome }) => outcome !== 'delivery');
    },
  });
  if (query.data?.length === 0) return null;
  return (
    <Section title="Why it did not reach other webhooks">
      <Loaded query={query}>{(others) => <Reasons {...{ event, others }} />}</Loaded>
    </Section>
  );
}

interface ReasonsProps {
  event: EventWithPayload;
  others: readonly ExplainedWebhook[];
}

function Reasons({ event, others }: ReasonsProps) {
  const { app } = useApp();
  const webhooks = useKnownWebhooks();
  const [search, setSearch] = useState('');
  const [isWhole, setWhole] = useState(others.length <= shownAtFirst);
  const wanted = search.trim().toLowerCase();
  const labels = new Map(webhooks.map((one) => [one.uid, `${webhookLabel(one)} ${one.url}`]));
  const rows = others.filter(({ webhookUid }) =>
    `${webhookUid} ${labels.get(webhookUid) ?? ''}`.toLowerCase().includes(wanted),
  );
  return (
    <>
      <Text size="sm" c="dimmed">
        The reasons follow from the present settings of each webhook. To send the event to one of
        them, use Resend.
      </Text>
      {others.length > shownAtFirst && (
        <TextInput
          label="Find a webhook"
          description="By name, URL or ID"
          value={search}
          onChange={({ currentTarget: { value } }) => setSearch(value)}
          maw={360}
        />
      )}
      {rows.length === 0 ? (
        <Text role="status">No webhook without a delivery has “{search.trim()}” in it.</Text>
      ) : (
        <DataTable
          label="Webhooks without a delivery"
          columns={columnsFor({ appUid: app.uid, webhooks, event })}
          rows={isWhole ? rows : rows.slice(0, shownAtFirst)}
          keyOf={({ webhookUid }) => webhookUid}
        />
      )}
      {!isWhole && rows.length > shownAtFirst && (
        <Button variant="default" size="xs" w="fit-content" onClick={() => setWhole(true)}>
          Show all {rows.length} webhooks
        </Button>
      )}
    </>
  );
}

interface ColumnFacts {
  appUid: string;
  webhooks: readonly Webhook[];
  event: EventWithPayload;
}

function columnsFor({ appUid, webhooks, event }: ColumnFacts): Column<ExplainedWebhook>[] {
  return [
    {
      label: 'Webhook',
      cell: ({ webhookUid }) => (
        <WebhookName {...{ appUid, webhookUid, webhooks }} tab="settings" />
      ),
    },
    { label: 'Reason', cell: (explained) => missedReason(explained, event) },
  ];
}
