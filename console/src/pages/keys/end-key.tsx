import type { ApiKey } from '@agent-herald/client';
import { Checkbox } from '@mantine/core';
import { useState } from 'react';
import { useApp } from '../../api/app.tsx';
import { Confirm } from '../../parts/confirm.tsx';
import { Line } from '../../parts/untrusted.tsx';
import { useChange } from '../../parts/use-change.tsx';
import type { DialogState } from '../../parts/use-dialog.tsx';
import { offline } from '../users/revoke-tokens.tsx';
import { AtTime } from '../../parts/when.tsx';

type EndKeyProps = DialogState & { apiKey: ApiKey };

/** Checks whether the tokens from sign-ins with a key can still be revoked with it. */
export function mayRevokeTokens({ scopes, tokensRevokedAt }: ApiKey): boolean {
  return scopes.includes('users:auth') && tokensRevokedAt === null;
}

/** Asks before revoking a key for good, and whether the tokens from sign-ins with it stay valid. */
export function RevokeKey({ apiKey, ...dialog }: EndKeyProps) {
  const { calls, key } = useApp();
  const [revokeTokens, setRevokeTokens] = useState(false);
  const revoking = useChange({
    change: () => calls.apiKeys.revoke(apiKey.uid, { revokeTokens }),
    changes: [
      [...key, 'keys'],
      [...key, 'users'],
    ],
    done: ({ name }) => `The key ${name} is revoked.`,
    onDone: dialog.onClose,
  });
  return (
    <Confirm {...dialog} title="Revoke the key" verb="Revoke" word={apiKey.keyId} change={revoking}>
      <Line text={apiKey.name} />,{' '}
      {apiKey.lastUsedAt === null ? (
        'never used'
      ) : (
        <>
          last used <AtTime at={apiKey.lastUsedAt} />
        </>
      )}
      . Calls with this key fail with <b>401</b> immediately. This cannot be undone. To replace a
      key that is in use, roll it instead.
      {mayRevokeTokens(apiKey) && (
        <Checkbox
          mt="md"
          label="Also revoke the tokens from sign-ins with this key"
          description="For a stolen key. Otherwise these tokens stay valid until they expire."
          checked={revokeTokens}
          onChange={(event) => setRevokeTokens(event.currentTarget.checked)}
        />
      )}
    </Confirm>
  );
}

/** Asks before revoking the tokens from sign-ins with a key that has ended. */
export function RevokeTokensOfKey({ apiKey, ...dialog }: EndKeyProps) {
  const { calls, key } = useApp();
  const revoking = useChange({
    change: () => calls.apiKeys.revoke(apiKey.uid, { revokeTokens: true }),
    changes: [
      [...key, 'keys'],
      [...key, 'users'],
    ],
    done: ({ name }) => `The tokens of the key ${name} are revoked.`,
    onDone: dialog.onClose,
  });
  return (
    <Confirm {...dialog} title="Revoke the tokens of the key" verb="Revoke" change={revoking}>
      All tokens from sign-ins with <Line text={apiKey.name} /> stop working. The users can sign in
      again immediately. {offline}
    </Confirm>
  );
}

/** Asks before deleting an ended key from the list. */
export function DeleteKey({ apiKey, ...dialog }: EndKeyProps) {
  const { calls, key } = useApp();
  const deleting = useChange({
    change: () => calls.apiKeys.delete(apiKey.uid),
    changes: [[...key, 'keys']],
    done: `The key ${apiKey.name} was removed from the list.`,
    onDone: dialog.onClose,
  });
  return (
    <Confirm {...dialog} title="Delete the key from the list" verb="Delete" change={deleting}>
      <Line text={apiKey.name} /> no longer works, so nothing changes for callers. The audit log
      keeps its entries.
    </Confirm>
  );
}
