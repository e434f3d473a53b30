import { ActionIcon, Menu } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { CircleUserRound } from 'lucide-react';
import { admin, keepCsrfToken } from '../api/client.ts';
import { queries } from '../api/queries.ts';
import { sessionQuery } from '../api/session.ts';
import { useChange } from '../parts/use-change.tsx';

/** Who is signed in, and the way out. */
export function AccountMenu() {
  const { data: session } = useQuery(sessionQuery);
  const navigate = useNavigate();
  const signOut = useChange({
    change: () => admin.session.signOut(),
    changes: [],
    onDone: () => {
      keepCsrfToken(null);
      queries.clear();
      void navigate({ to: '/sign-in' });
    },
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
        <Menu.Item onClick={() => signOut.mutate()}>Sign out</Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
