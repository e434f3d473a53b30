import type { User } from '@agent-herald/client';
import { Stack, Text } from '@mantine/core';
import type { Column } from '../../parts/data-table.tsx';
import { AnchorLink } from '../../parts/links.tsx';
import { Uid } from '../../parts/uid.tsx';
import { Line } from '../../parts/untrusted.tsx';
import { When } from '../../parts/when.tsx';
import { nameOfUser } from './user-name.ts';

/** Returns the columns of a list of users. */
export function userColumns(appUid: string): Column<User>[] {
  return [
    {
      label: 'User',
      cell: (user) => (
        <Stack gap={0} align="flex-start">
          <AnchorLink
            to="/apps/$appUid/users/$userUid"
            params={{ appUid, userUid: user.uid }}
            fw={600}
          >
            <Line text={nameOfUser(user)} />
          </AnchorLink>
          <Uid value={user.uid} />
        </Stack>
      ),
    },
    { label: 'Signs in with', cell: (user) => <SignsInWith user={user} /> },
    { label: 'Accounts', cell: ({ accountUids }) => accountUids.length },
    { label: 'Created', cell: ({ createdAt }) => <When at={createdAt} /> },
  ];
}

/** The identity of a user: an external ID or an email. */
export function SignsInWith({ user: { externalId, email } }: { user: User }) {
  return (
    <Stack gap={0}>
      <Text size="sm" c="dimmed">
        {externalId === null ? 'email address (only its hash is stored)' : 'external ID'}
      </Text>
      <Line text={externalId ?? email ?? ''} />
    </Stack>
  );
}
