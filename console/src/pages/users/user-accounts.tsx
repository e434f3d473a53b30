import { List, Text } from '@mantine/core';
import { useQueries } from '@tanstack/react-query';
import { useApp } from '../../api/app.tsx';
import { AnchorLink } from '../../parts/links.tsx';
import { Line } from '../../parts/untrusted.tsx';

const namedMax = 20;

/** The accounts of a user; the first ones by name. */
export function UserAccounts({ accountUids }: { accountUids: readonly string[] }) {
  const { app, calls, key } = useApp();
  const named = useQueries({
    queries: accountUids.slice(0, namedMax).map((uid) => ({
      queryKey: [...key, 'accounts', uid],
      queryFn: ({ signal }: { signal: AbortSignal }) => calls.accounts.get(uid, { signal }),
    })),
  });
  if (accountUids.length === 0) {
    return (
      <Text c="dimmed">
        In none: the user reaches only agents that are open to all users. Add it on the page of an
        account.
      </Text>
    );
  }
  return (
    <List>
      {accountUids.map((uid, index) => (
        <List.Item key={uid}>
          <AnchorLink
            to="/apps/$appUid/accounts/$accountUid"
            params={{ appUid: app.uid, accountUid: uid }}
          >
            <Line text={named[index]?.data?.name ?? uid} />
          </AnchorLink>
        </List.Item>
      ))}
    </List>
  );
}
