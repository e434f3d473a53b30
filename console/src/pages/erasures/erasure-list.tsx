import type { Erasure } from '@agent-herald/client';
import { Text } from '@mantine/core';
import { useApp } from '../../api/app.tsx';
import { type Column, DataTable } from '../../parts/data-table.tsx';
import { List, useList } from '../../parts/list.tsx';
import { Empty, Page } from '../../parts/page.tsx';
import { Section } from '../../parts/section.tsx';
import { Tag } from '../../parts/state-badge.tsx';
import { Uid } from '../../parts/uid.tsx';
import { When } from '../../parts/when.tsx';
import { replayColors } from '../replays/replay-colors.ts';
import { NewErasure } from './new-erasure.tsx';

const refreshMs = 5_000;

const columns: Column<Erasure>[] = [
  { label: 'Erasure', cell: ({ uid }) => <Uid value={uid} /> },
  { label: 'State', cell: ({ state }) => <Tag color={replayColors[state]}>{state}</Tag> },
  { label: 'Payloads erased', cell: ({ erasedCount }) => erasedCount.toLocaleString('en') },
  { label: 'Started', cell: ({ createdAt }) => <When at={createdAt} /> },
  { label: 'Finished', cell: ({ finishedAt }) => <When at={finishedAt} none="not yet" /> },
];

/** The erasures of tenants and users, and their progress. */
export function ErasureList() {
  const { calls, key, mayChange } = useApp();
  const list = useList({
    key: [...key, 'erasures'],
    list: (paging, options) => calls.erasures.list(paging, options),
    refreshMs,
  });
  return (
    <Page title="Erasures" about="Permanently delete the event payloads of a tenant or user.">
      {mayChange && (
        <Section title="New erasure">
          <NewErasure />
        </Section>
      )}
      <Section title="Past erasures">
        <Text size="sm" c="dimmed">
          All events are checked twice, five minutes apart, so an erasure finishes about five
          minutes after the payloads are gone. The identifier is then deleted.
        </Text>
        <List
          of={list}
          empty={<Empty title="No erasures yet">Erasures that you start are listed here.</Empty>}
        >
          {(rows) => (
            <DataTable label="Erasures" columns={columns} rows={rows} keyOf={({ uid }) => uid} />
          )}
        </List>
      </Section>
    </Page>
  );
}
