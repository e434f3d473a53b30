import type { User } from '@agent-herald/client';
import { List } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { useApp } from '../../api/app.tsx';
import { Confirm } from '../../parts/confirm.tsx';
import { AnchorLink } from '../../parts/links.tsx';
import { useChange } from '../../parts/use-change.tsx';
import type { DialogState } from '../../parts/use-dialog.tsx';

/** Asks before erasing the identity of a user. */
export function DeleteUser({ user, ...dialog }: DialogState & { user: User }) {
  const { app, calls, key } = useApp();
  const navigate = useNavigate();
  const params = { appUid: app.uid };
  const deleting = useChange({
    change: () => calls.users.delete(user.uid),
    changes: [
      [...key, 'users', 'list'],
      [...key, 'accounts'],
    ],
    done: 'User deleted.',
    onDone: () => {
      dialog.onClose();
      void navigate({ to: '/apps/$appUid/users', params });
    },
  });
  return (
    <Confirm
      {...dialog}
      title="Delete the user"
      verb="Delete user"
      word={user.uid}
      change={deleting}
    >
      This cannot be undone.
      <List size="sm" my="xs" spacing={4}>
        <List.Item>
          Erased: the external ID or email hash, the name and the account memberships.
        </List.Item>
        <List.Item>All tokens of the user stop working.</List.Item>
        <List.Item>
          Kept: the ID of the user, in the audit log and in events. It is never reused.
        </List.Item>
        <List.Item>The same person can sign in again, as a new user.</List.Item>
        <List.Item>
          Payloads of events that name the user are kept:{' '}
          <AnchorLink to="/apps/$appUid/erasures" params={params} inherit underline="always">
            erase those, too
          </AnchorLink>
          .
        </List.Item>
      </List>
    </Confirm>
  );
}
