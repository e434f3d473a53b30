import type { User } from '@agent-herald/client';
import { Group, List, Menu, Text } from '@mantine/core';
import { useQueries } from '@tanstack/react-query';
import { useApp } from '../../api/app.tsx';
import { AnchorLink } from '../../parts/links.tsx';
import { RowMenu } from '../../parts/row-menu.tsx';
import { Line } from '../../parts/untrusted.tsx';
import { useDialog } from '../../parts/use-dialog.tsx';
import { RemoveUser } from '../accounts/remove-user.tsx';

const namedMax = 20;

/** The accounts of a user. The first ones are shown by name. */
export function UserAccounts({ user }: { user: User }) {
  const { app, calls, key, mayChange } = useApp();
  const removing = useDialog<string>();
  const { accountUids } = user;
  const named = useQueries({
    queries: accountUids.slice(0, namedMax).map((uid) => ({
      queryKey: [...key, 'accounts', uid],
      queryFn: ({ signal }: { signal: AbortSignal }) => calls.accounts.get(uid, { signal }),
    })),
  });
  if (accountUids.length === 0) {
    return (
      <Text c="dimmed">
        None: the user can reach only agents that are open to all users. Add the user on the page of
        an account.
      </Text>
    );
  }
  return (
    <>
      <List>
        {accountUids.map((uid, index) => {
          const name = named[index]?.data?.name ?? uid;
          return (
            <List.Item key={uid}>
              <Group gap="xs">
                <AnchorLink
                  to="/apps/$appUid/accounts/$accountUid"
                  params={{ appUid: app.uid, accountUid: uid }}
                >
                  <Line text={name} />
                </AnchorLink>
                {mayChange && (
                  <RowMenu of={name}>
                    <Menu.Item color="red" onClick={() => removing.open(uid)}>
                      Remove from account
                    </Menu.Item>
                  </RowMenu>
                )}
              </Group>
            </List.Item>
          );
        })}
      </List>
      {removing.of((accountUid, dialog) => (
        <RemoveUser {...dialog} accountUid={accountUid} user={user} />
      ))}
    </>
  );
}
