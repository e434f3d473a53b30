import type { OwnSession } from '@agent-herald/client';
import { Button, Text } from '@mantine/core';
import { admin } from '../../api/client.ts';
import { Confirm } from '../../parts/confirm.tsx';
import { type Column, DataTable } from '../../parts/data-table.tsx';
import { List, useList } from '../../parts/list.tsx';
import { Tag } from '../../parts/state-badge.tsx';
import { Line } from '../../parts/untrusted.tsx';
import { browserWords } from '../../parts/browser-words.ts';
import { visibleText } from '../../parts/visible-text.ts';
import { useChange } from '../../parts/use-change.tsx';
import { type DialogState, useDialog } from '../../parts/use-dialog.tsx';
import { When } from '../../parts/when.tsx';

/** The browsers in which the viewer is signed in. */
export function SessionList() {
  const list = useList({
    key: ['sessions'],
    list: (paging, options) => admin.sessions.list(paging, options),
  });
  const ending = useDialog<OwnSession>();
  const end = (session: OwnSession) =>
    !session.current && (
      <Button
        variant="default"
        size="xs"
        aria-label={`End the session from ${addressOf(session)}`}
        onClick={() => ending.open(session)}
      >
        End
      </Button>
    );
  return (
    <>
      <List of={list} empty={<Text>No sessions.</Text>}>
        {(rows) => (
          <DataTable
            label="Sessions"
            columns={[...columns, { label: '', cell: end }]}
            rows={rows}
            keyOf={({ uid }) => uid}
          />
        )}
      </List>
      {ending.of((session, dialog) => (
        <EndSession {...dialog} session={session} />
      ))}
    </>
  );
}

const addressOf = ({ address }: OwnSession): string => address ?? 'an unknown address';

function EndSession({ session, ...dialog }: DialogState & { session: OwnSession }) {
  const ending = useChange({
    change: () => admin.sessions.end(session.uid),
    changes: [['sessions']],
    done: 'Session ended.',
    onDone: dialog.onClose,
  });
  return (
    <Confirm {...dialog} title="End the session?" verb="End session" change={ending}>
      The browser at {addressOf(session)} is signed out. Unsaved changes there are lost.
    </Confirm>
  );
}

const columns: readonly Column<OwnSession>[] = [
  {
    label: 'Browser',
    cell: ({ userAgent, current }) => (
      <>
        <Text size="sm" component="div" title={visibleText(userAgent ?? '')}>
          <Line text={browserWords(userAgent ?? 'unknown')} />
        </Text>
        {current && <Tag color="teal">this one</Tag>}
      </>
    ),
  },
  { label: 'Signed in from', cell: ({ address }) => address ?? 'unknown' },
  { label: 'Signed in', cell: ({ createdAt }) => <When at={createdAt} /> },
  { label: 'Last used', cell: ({ lastUsedAt }) => <When at={lastUsedAt} /> },
];
