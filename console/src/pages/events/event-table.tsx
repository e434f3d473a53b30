import type { Event } from '@agent-herald/client';
import { Group, Stack, Text } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { useApp } from '../../api/app.tsx';
import { type Column, DataTable } from '../../parts/data-table.tsx';
import { AnchorLink } from '../../parts/links.tsx';
import { Tag } from '../../parts/state-badge.tsx';
import { Uid } from '../../parts/uid.tsx';
import { Line } from '../../parts/untrusted.tsx';
import { When } from '../../parts/when.tsx';

interface EventTableProps {
  label: string;
  rows: readonly Event[];
}

/** A table of events. */
export function EventTable({ label, rows }: EventTableProps) {
  const { app } = useApp();
  const navigate = useNavigate();
  return (
    <DataTable
      label={label}
      columns={eventColumns(app.uid)}
      rows={rows}
      keyOf={({ eventId }) => eventId}
      onOpen={({ eventId }) =>
        void navigate({
          to: '/apps/$appUid/events/$eventId',
          params: { appUid: app.uid, eventId },
        })
      }
    />
  );
}

function eventColumns(appUid: string): Column<Event>[] {
  return [
    {
      label: 'Event',
      cell: ({ event, eventId, erasedAt }) => (
        <Stack gap={0} align="flex-start">
          <Group gap={6}>
            <AnchorLink
              to="/apps/$appUid/events/$eventId"
              params={{ appUid, eventId }}
              fw={600}
              inherit
              style={{ whiteSpace: 'nowrap' }}
            >
              {event}
            </AnchorLink>
            {erasedAt !== null && <Tag color="gray">erased</Tag>}
          </Group>
          <Text span size="sm" lh="inherit" c="dimmed" style={{ whiteSpace: 'nowrap' }}>
            <Uid value={eventId} />
          </Text>
        </Stack>
      ),
    },
    { label: 'Resource', cell: ({ resourceUid }) => <Uid value={resourceUid} /> },
    { label: 'Sequence', cell: ({ sequence }) => sequence ?? '–' },
    { label: 'Tenant', cell: ({ externalTenantId }) => <Line text={externalTenantId} /> },
    {
      label: 'Webhooks',
      cell: ({ webhookUids }) => (webhookUids.length === 0 ? 'none' : webhookUids.length),
    },
    { label: 'Time', cell: ({ timestamp }) => <When at={timestamp} /> },
  ];
}
