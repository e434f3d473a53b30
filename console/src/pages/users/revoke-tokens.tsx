import type { User } from '@agent-herald/client';
import { useApp } from '../../api/app.tsx';
import { Confirm } from '../../parts/confirm.tsx';
import { Line } from '../../parts/untrusted.tsx';
import { useChange } from '../../parts/use-change.tsx';
import type { DialogState } from '../../parts/use-dialog.tsx';
import { nameOfUser } from './user-name.ts';

/** The last sentence of each dialog that revokes tokens. */
export const offline =
  'A service that checks tokens offline accepts them until they expire, unless it receives the event of the revocation.';

/** Asks before revoking all tokens of a user. */
export function RevokeTokens({ user, ...dialog }: DialogState & { user: User }) {
  const { calls, key } = useApp();
  const revoking = useChange({
    change: () => calls.users.revokeTokens(user.uid),
    changes: [
      [...key, 'users', user.uid, 'tokens'],
      [...key, 'audit-log'],
    ],
    done: 'All tokens of the user revoked.',
    onDone: dialog.onClose,
  });
  return (
    <Confirm {...dialog} title="Revoke the user's tokens" verb="Revoke tokens" change={revoking}>
      All current tokens of <Line text={nameOfUser(user)} /> stop working, in every session. The
      user can sign in again immediately. {offline}
    </Confirm>
  );
}

/** Asks before revoking all tokens of all users. */
export function RevokeAllTokens(dialog: DialogState) {
  const { app, calls, key } = useApp();
  const revoking = useChange({
    change: () => calls.users.revokeAllTokens(),
    changes: [[...key, 'audit-log']],
    done: 'All tokens of all users revoked.',
    onDone: dialog.onClose,
  });
  return (
    <Confirm
      {...dialog}
      title="Revoke the tokens of all users"
      verb="Revoke all tokens"
      word={app.name}
      change={revoking}
    >
      Your back end must sign in all users of the embedded agents again. {offline}
    </Confirm>
  );
}
