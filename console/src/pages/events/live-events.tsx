import { Alert, Button, Group, Loader, Text } from '@mantine/core';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useApp } from '../../api/app.tsx';
import type { Connection, StreamQuery } from '../../api/event-stream.ts';
import { DataTable } from '../../parts/data-table.tsx';
import { Fault } from '../../parts/fault.tsx';
import { Empty, Page } from '../../parts/page.tsx';
import { Tag } from '../../parts/state-badge.tsx';
import { eventColumns } from './event-columns.tsx';
import { EventFilters } from './event-filters.tsx';
import { tailRowsMax } from './tail.ts';
import { useTail } from './use-tail.ts';

/** The live stream of events. */
export function LiveEvents() {
  const { app } = useApp();
  const search = useSearch({ from: '/signed-in/apps/$appUid/events/live' });
  const navigate = useNavigate();
  const { tail, connection, change } = useTail(search as StreamQuery);
  const { shown, waiting, isPaused, count } = tail;
  return (
    <Page
      title="Live events"
      about={`The last ${tailRowsMax} events, as they happen.`}
      actions={
        <Button variant="default" onClick={() => change(isPaused ? 'proceed' : 'pause')}>
          {isPaused ? `Resume (${waiting.length} new)` : 'Pause'}
        </Button>
      }
    >
      <EventFilters />
      <Group gap="sm">
        <ConnectionState connection={connection} isPaused={isPaused} />
        <Text size="sm" c="dimmed">
          {count} {count === 1 ? 'event' : 'events'} since you opened this page
        </Text>
      </Group>
      {connection.state === 'ended' && (
        <Fault error={connection.error} retry={() => window.location.reload()} />
      )}
      {connection.state === 'cut' && (
        <Alert color="yellow" title="Connection lost">
          Reconnecting. The stream continues where it stopped, so no event is lost. {connection.why}
        </Alert>
      )}
      {shown.length === 0 ? (
        <Empty title="No events yet">
          New events appear here within a second. For earlier events, go back to Events.
        </Empty>
      ) : (
        <DataTable
          label="Live events"
          columns={eventColumns(app.uid)}
          rows={shown}
          keyOf={({ eventId }) => eventId}
          onOpen={({ eventId }) =>
            void navigate({
              to: '/apps/$appUid/events/$eventId',
              params: { appUid: app.uid, eventId },
            })
          }
        />
      )}
    </Page>
  );
}

interface ConnectionStateProps {
  connection: Connection;
  isPaused: boolean;
}

function ConnectionState({ connection: { state }, isPaused }: ConnectionStateProps) {
  const isWaiting = state === 'connecting' || state === 'cut';
  return (
    <Group gap={6} role="status">
      {isWaiting && <Loader size="xs" aria-hidden="true" />}
      {state === 'connecting' && <Tag color="gray">connecting</Tag>}
      {state === 'cut' && <Tag color="yellow">reconnecting</Tag>}
      {state === 'ended' && <Tag color="red">ended</Tag>}
      {state === 'open' && (
        <Tag color={isPaused ? 'gray' : 'teal'}>{isPaused ? 'paused' : 'live'}</Tag>
      )}
    </Group>
  );
}
