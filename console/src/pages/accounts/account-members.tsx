import type { Account, User } from '@agent-herald/client';
import { Button, Group, Menu, Stack, TextInput, Title } from '@mantine/core';
import { useState } from 'react';
import { useApp } from '../../api/app.tsx';
import type { AppCalls } from '../../api/client.ts';
import { DataTable } from '../../parts/data-table.tsx';
import { FormDialog } from '../../parts/form-dialog.tsx';
import { List, useList } from '../../parts/list.tsx';
import { Empty } from '../../parts/page.tsx';
import { RowMenu } from '../../parts/row-menu.tsx';
import { useChange } from '../../parts/use-change.tsx';
import { type DialogState, useDialog } from '../../parts/use-dialog.tsx';
import { userColumns } from '../users/user-columns.tsx';
import { nameOfUser } from '../users/user-name.ts';
import { isUserUid } from '../users/user-uid.ts';
import { RemoveUser } from './remove-user.tsx';

/** The users in an account. They can be added and removed. */
export function AccountMembers({ account }: { account: Account }) {
  const { app, calls, key, mayChange } = useApp();
  const adding = useDialog();
  const removing = useDialog<User>();
  const list = useList({
    key: [...key, 'accounts', account.uid, 'members'],
    list: (paging, options) => calls.accounts.members(account.uid, paging, options),
  });
  const add = mayChange && (
    <Button variant="default" onClick={() => adding.open(true)}>
      Add user
    </Button>
  );
  const actions = (user: User) => (
    <RowMenu of={nameOfUser(user)}>
      <Menu.Item color="red" onClick={() => removing.open(user)}>
        Remove from account
      </Menu.Item>
    </RowMenu>
  );
  return (
    <Stack gap="xs">
      <Group justify="space-between">
        <Title order={2} size="h4">
          Users
        </Title>
        {add}
      </Group>
      <List
        of={list}
        empty={
          <Empty title="No users in this account yet">
            Add a user here, or name the account when your back end signs in a user.
          </Empty>
        }
      >
        {(rows) => (
          <DataTable
            label="Users in the account"
            columns={[
              ...userColumns(app.uid),
              ...(mayChange ? [{ label: '', cell: actions }] : []),
            ]}
            rows={rows}
            keyOf={({ uid }) => uid}
          />
        )}
      </List>
      {adding.of((_, dialog) => (
        <AddUser {...dialog} account={account} />
      ))}
      {removing.of((user, dialog) => (
        <RemoveUser {...dialog} accountUid={account.uid} user={user} />
      ))}
    </Stack>
  );
}

/** No user has this external ID. */
class UnknownUserError extends Error {}

async function findUser(calls: AppCalls, text: string): Promise<string> {
  if (isUserUid(text)) return text;
  const { data } = await calls.users.list({ externalId: text, limit: 1 }).page();
  const [user] = data;
  if (user === undefined) throw new UnknownUserError('No user has this external ID.');
  return user.uid;
}

function AddUser({ account, ...dialog }: DialogState & { account: Account }) {
  const { calls, key } = useApp();
  const [typed, setTyped] = useState('');
  const adding = useChange({
    change: async () => calls.accounts.addMember(account.uid, await findUser(calls, typed.trim())),
    changes: [
      [...key, 'accounts', account.uid],
      [...key, 'users'],
    ],
    done: 'User added to the account.',
    onDone: dialog.onClose,
  });
  const isUnknown = adding.error instanceof UnknownUserError;
  return (
    <FormDialog
      {...dialog}
      title="Add a user"
      verb="Add user"
      isReady={typed.trim() !== ''}
      change={isUnknown ? { ...adding, error: null } : adding}
    >
      <TextInput
        label="User ID or external ID"
        description="The user must have signed in before. Their next token includes the account."
        required
        value={typed}
        onChange={(event) => setTyped(event.currentTarget.value)}
        error={isUnknown ? adding.error?.message : undefined}
        data-autofocus
        autoComplete="off"
      />
    </FormDialog>
  );
}
