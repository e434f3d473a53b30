import type { Member } from '@agent-herald/client';
import { Button, Menu, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useApp } from '../../api/app.tsx';
import { sessionQuery } from '../../api/session.ts';
import { type Column, DataTable } from '../../parts/data-table.tsx';
import { MenuLink } from '../../parts/links.tsx';
import { List, useList } from '../../parts/list.tsx';
import { Empty, Page } from '../../parts/page.tsx';
import { RowMenu } from '../../parts/row-menu.tsx';
import { Uid } from '../../parts/uid.tsx';
import { Line } from '../../parts/untrusted.tsx';
import { useDialog } from '../../parts/use-dialog.tsx';
import { When } from '../../parts/when.tsx';
import { AddMember, ChangeRole, RemoveMember } from './member-changes.tsx';
import { roleTexts } from './roles.ts';

/** The admins who have a role in the application. */
export function MemberList() {
  const { app, calls, key, mayOwn } = useApp();
  const adding = useDialog();
  const changing = useDialog<Member>();
  const removing = useDialog<Member>();
  const list = useList({
    key: [...key, 'members'],
    list: (paging, options) => calls.members.list(paging, options),
  });
  const add = mayOwn && <Button onClick={() => adding.open(true)}>Add member</Button>;
  const actions = (member: Member) => (
    <RowMenu of={member.email ?? member.adminUid}>
      <MenuLink
        to="/apps/$appUid/audit-log"
        params={{ appUid: app.uid }}
        search={{ actorUid: member.adminUid }}
      >
        View activity
      </MenuLink>
      {mayOwn && (
        <>
          <Menu.Item onClick={() => changing.open(member)}>Change role</Menu.Item>
          <Menu.Item color="red" onClick={() => removing.open(member)}>
            Remove
          </Menu.Item>
        </>
      )}
    </RowMenu>
  );
  return (
    <Page
      title="Members"
      about={
        mayOwn
          ? 'Admins who can see or change this application. Superusers can, too, without being members.'
          : 'Admins who can see or change this application. Only owners can change this list.'
      }
      actions={add}
    >
      <List
        of={list}
        empty={
          <Empty title="No members yet" action={add}>
            Only superusers can see this application.
          </Empty>
        }
      >
        {(rows) => (
          <DataTable
            label="Members"
            columns={[...columns, { label: '', cell: actions }]}
            rows={rows}
            keyOf={({ adminUid }) => adminUid}
          />
        )}
      </List>
      {adding.of((_, dialog) => (
        <AddMember {...dialog} />
      ))}
      {changing.of((member, dialog) => (
        <ChangeRole {...dialog} member={member} />
      ))}
      {removing.of((member, dialog) => (
        <RemoveMember {...dialog} member={member} />
      ))}
    </Page>
  );
}

const columns: readonly Column<Member>[] = [
  { label: 'Member', cell: (member) => <Who member={member} /> },
  {
    label: 'Role',
    cell: ({ role }) => (
      <>
        <b>{role}</b>
        <Text size="sm" c="dimmed">
          {roleTexts[role]}
        </Text>
      </>
    ),
  },
  { label: 'ID', cell: ({ adminUid }) => <Uid value={adminUid} /> },
  { label: 'Added', cell: ({ createdAt }) => <When at={createdAt} /> },
];

function Who({ member: { adminUid, email } }: { member: Member }) {
  const { data: session } = useQuery(sessionQuery);
  return (
    <>
      <Line text={email ?? 'removed admin'} />
      {session?.admin.uid === adminUid && ' (you)'}
    </>
  );
}
