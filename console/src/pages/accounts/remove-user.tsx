import type { User } from '@agent-herald/client';
import { Text } from '@mantine/core';
import { useApp } from '../../api/app.tsx';
import { Confirm } from '../../parts/confirm.tsx';
import { Line } from '../../parts/untrusted.tsx';
import { useChange } from '../../parts/use-change.tsx';
import type { DialogState } from '../../parts/use-dialog.tsx';
import { nameOfUser } from '../users/user-name.ts';

/** Asks before removing a user from an account. */
export function RemoveUser(props: DialogState & { accountUid: string; user: User }) {
  const { accountUid, user, ...dialog } = props;
  const { calls, key } = useApp();
  const removing = useChange({
    change: () => calls.accounts.removeMember(accountUid, user.uid),
    changes: [
      [...key, 'accounts', accountUid],
      [...key, 'users'],
    ],
    done: 'User removed from the account.',
    onDone: dialog.onClose,
  });
  return (
    <Confirm {...dialog} title="Remove the user from the account" verb="Remove" change={removing}>
      <Text size="sm" component="div">
        Tokens that <Line text={nameOfUser(user)} /> already has keep access through the account
        until they expire. To end it now, revoke the tokens on the user&apos;s page.
      </Text>
    </Confirm>
  );
}
