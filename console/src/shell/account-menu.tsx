import { ActionIcon, Menu } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { CircleUserRound } from 'lucide-react';
import { admin } from '../api/client.ts';
import { sessionQuery } from '../api/session.ts';
import { MenuLink } from '../parts/links.tsx';
import { notifyOfFault } from '../parts/notify-of-fault.ts';
import { useChange } from '../parts/use-change.tsx';
import { useLeave } from './leave.ts';

/** The signed-in admin, and the sign-out. */
export function AccountMenu() {
  const { data: session } = useQuery(sessionQuery);
  const leave = useLeave();
  const signOut = useChange({
    change: () => admin.session.signOut(),
    changes: [],
    onDone: leave,
  });
  return (
    <Menu position="bottom-end" width={240}>
      <Menu.Target>
        <ActionIcon variant="default" size="lg" aria-label="Your account">
          <CircleUserRound size={18} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>{session?.admin.email}</Menu.Label>
        <MenuLink to="/me">Your account</MenuLink>
        <Menu.Item onClick={() => signOut.mutate(undefined, { onError: notifyOfFault })}>
          Sign out
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
