import type { User, UserToken } from '@agent-herald/client';
import { Menu, Text } from '@mantine/core';
import { useApp } from '../../api/app.tsx';
import { Confirm } from '../../parts/confirm.tsx';
import { type Column, DataTable } from '../../parts/data-table.tsx';
import { List, useList } from '../../parts/list.tsx';
import { RowMenu } from '../../parts/row-menu.tsx';
import { Uid } from '../../parts/uid.tsx';
import { Line } from '../../parts/untrusted.tsx';
import { useChange } from '../../parts/use-change.tsx';
import { type DialogState, useDialog } from '../../parts/use-dialog.tsx';
import { When } from '../../parts/when.tsx';
import { offline } from './revoke-tokens.tsx';

const refreshMs = 30_000;

const columns: Column<UserToken>[] = [
  { label: 'Token', cell: ({ uid }) => <Uid value={uid} /> },
  { label: 'API key', cell: ({ apiKeyUid }) => <Uid value={apiKeyUid} /> },
  { label: 'Tenant', cell: ({ externalTenantId }) => <Line text={externalTenantId ?? 'none'} /> },
  { label: 'Issued', cell: ({ issuedAt }) => <When at={issuedAt} /> },
  { label: 'Expires', cell: ({ expiresAt }) => <When at={expiresAt} /> },
];

/** The valid tokens of a user. */
export function UserTokens({ user }: { user: User }) {
  const { calls, key, mayChange } = useApp();
  const revoking = useDialog<UserToken>();
  const list = useList({
    key: [...key, 'users', user.uid, 'tokens'],
    list: (paging, options) => calls.users.tokens(user.uid, paging, options),
    refreshMs,
  });
  const actions = (token: UserToken) => (
    <RowMenu of={token.uid}>
      <Menu.Item color="red" onClick={() => revoking.open(token)}>
        Revoke
      </Menu.Item>
    </RowMenu>
  );
  return (
    <>
      <List of={list} empty={<Text c="dimmed">None: the user has no valid token.</Text>}>
        {(rows) => (
          <DataTable
            label="Tokens"
            columns={mayChange ? [...columns, { label: '', cell: actions }] : columns}
            rows={rows}
            keyOf={({ uid }) => uid}
          />
        )}
      </List>
      {revoking.of((token, dialog) => (
        <RevokeToken {...dialog} user={user} token={token} />
      ))}
    </>
  );
}

function RevokeToken({ user, token, ...dialog }: DialogState & { user: User; token: UserToken }) {
  const { calls, key } = useApp();
  const revoking = useChange({
    change: () => calls.users.revokeToken(user.uid, token.uid),
    changes: [
      [...key, 'users', user.uid, 'tokens'],
      [...key, 'audit-log'],
    ],
    done: 'The token is revoked.',
    onDone: dialog.onClose,
  });
  return (
    <Confirm {...dialog} title="Revoke the token" verb="Revoke" change={revoking}>
      The token {token.uid} stops working. Other tokens of the user stay valid. {offline}
    </Confirm>
  );
}
