import type { ApiKey } from '@agent-herald/client';
import { useApp } from '../../api/app.tsx';
import { Confirm } from '../../parts/confirm.tsx';
import { Line } from '../../parts/untrusted.tsx';
import { useChange } from '../../parts/use-change.tsx';
import type { DialogState } from '../../parts/use-dialog.tsx';
import { AtTime } from '../../parts/when.tsx';

type EndKeyProps = DialogState & { apiKey: ApiKey };

/** Asks before revoking a key for good. */
export function RevokeKey({ apiKey, ...dialog }: EndKeyProps) {
  const { calls, key } = useApp();
  const revoking = useChange({
    change: () => calls.apiKeys.revoke(apiKey.uid),
    changes: [[...key, 'keys']],
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
