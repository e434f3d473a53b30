import type { Delivery } from '@agent-herald/client';
import { Card, Group, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useApp } from '../../api/app.tsx';
import { type Column, DataTable } from '../../parts/data-table.tsx';
import { AnchorLink } from '../../parts/links.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { StateBadge } from '../../parts/state-badge.tsx';
import { Line } from '../../parts/untrusted.tsx';
import { When } from '../../parts/when.tsx';

const refreshMs = 5_000;
const shownCount = 8;

/** The latest deliveries of a webhook. */
export function LatestDeliveries({ webhookUid }: { webhookUid: string }) {
  const { app, calls, key } = useApp();
  const latest = useQuery({
    queryKey: [...key, 'deliveries', 'latest', webhookUid],
    queryFn: ({ signal }) =>
      calls.webhooks.deliveries(webhookUid, { limit: shownCount }, { signal }).page(),
    refetchInterval: refreshMs,
  });
  return (
    <Card withBorder padding="lg" component="section" aria-label="Latest deliveries">
      <Group justify="space-between" mb="xs">
        <Title order={2} size="h4">
          Latest deliveries
        </Title>
        <AnchorLink
          to="/apps/$appUid/deliveries"
          params={{ appUid: app.uid }}
          search={{ webhookUid }}
        >
          All deliveries
        </AnchorLink>
      </Group>
      <Loaded query={latest}>
        {({ data }) =>
          data.length === 0 ? (
            <Text size="sm" c="dimmed">
              No deliveries yet. Make a change, or send a test event.
            </Text>
          ) : (
            <DataTable
              label="Latest deliveries"
              columns={columnsFor(app.uid)}
              rows={data}
              keyOf={({ eventId }) => eventId}
            />
          )
        }
      </Loaded>
    </Card>
  );
}

function columnsFor(appUid: string): Column<Delivery>[] {
  return [
    {
      label: 'Event',
      cell: ({ eventId, webhookUid, event }) => (
        <AnchorLink
          to="/apps/$appUid/deliveries/$eventId/$webhookUid"
          params={{ appUid, eventId, webhookUid }}
        >
          {event}
        </AnchorLink>
      ),
    },
    { label: 'State', cell: ({ state }) => <StateBadge state={state} /> },
    { label: 'Last response', cell: (delivery) => <Line text={answerOf(delivery)} /> },
    { label: 'Created', cell: ({ createdAt }) => <When at={createdAt} /> },
  ];
}

function answerOf({ attempts }: Delivery): string {
  const last = attempts.at(-1);
  if (last === undefined) return '–';
  const { status, detail, errorClass, n, ms } = last;
  const what = status === null ? (detail ?? errorClass ?? 'no response') : String(status);
  return `${what} in ${ms.total} ms${n > 1 ? `, attempt ${n}` : ''}`;
}
