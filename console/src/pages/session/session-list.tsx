import type { OwnSession } from '@agent-herald/client';
import { Button, Text } from '@mantine/core';
import { admin } from '../../api/client.ts';
import { type Column, DataTable } from '../../parts/data-table.tsx';
import { Fault } from '../../parts/fault.tsx';
import { List, useList } from '../../parts/list.tsx';
import { Tag } from '../../parts/state-badge.tsx';
import { Line } from '../../parts/untrusted.tsx';
import { useChange } from '../../parts/use-change.tsx';
import { When } from '../../parts/when.tsx';

/** The browsers in which the viewer is signed in. */
export function SessionList() {
  const list = useList({
    key: ['sessions'],
    list: (paging, options) => admin.sessions.list(paging, options),
  });
  const ending = useChange({
    change: (session: OwnSession) => admin.sessions.end(session.uid),
    changes: [['sessions']],
    done: 'That session has ended.',
  });
  const end = (session: OwnSession) =>
    !session.current && (
      <Button
        variant="default"
        size="xs"
        aria-label={`End the session from ${session.address ?? 'an unknown address'}`}
        loading={ending.isPending && ending.variables.uid === session.uid}
        onClick={() => ending.mutate(session)}
      >
        End
      </Button>
    );
  return (
    <>
      {ending.error !== null && <Fault error={ending.error} />}
      <List of={list} empty={<Text>There is no session.</Text>}>
        {(rows) => (
          <DataTable
            label="Sessions"
            columns={[...columns, { label: '', cell: end }]}
            rows={rows}
            keyOf={({ uid }) => uid}
          />
        )}
      </List>
    </>
  );
}

const columns: readonly Column<OwnSession>[] = [
  {
    label: 'Browser',
    cell: ({ userAgent, current }) => (
      <>
        <Text size="sm" component="div">
          <Line text={userAgent ?? 'unknown'} />
        </Text>
        {current && <Tag color="teal">this one</Tag>}
      </>
    ),
  },
  { label: 'Signed in from', cell: ({ address }) => address ?? 'unknown' },
  { label: 'Signed in', cell: ({ createdAt }) => <When at={createdAt} /> },
  { label: 'Last used', cell: ({ lastUsedAt }) => <When at={lastUsedAt} /> },
];
