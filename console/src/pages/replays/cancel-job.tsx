import type { ReplayDetail, SyncDetail } from '@agent-herald/client';
import { Button } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useApp } from '../../api/app.tsx';
import { Confirm } from '../../parts/confirm.tsx';
import { useChange } from '../../parts/use-change.tsx';

interface CancelJobProps {
  kind: 'replay' | 'sync';
  job: Pick<ReplayDetail | SyncDetail, 'uid' | 'finishedAt'> | undefined;
  /** What a new one does. */
  children: string;
}

/** The button that cancels a replay or sync until it has ended. */
export function CancelJob({ kind, job, children }: CancelJobProps) {
  const { calls, key, mayChange } = useApp();
  const uid = job?.uid ?? '';
  const [isOpen, { open, close }] = useDisclosure();
  const cancel = useChange({
    change: (): Promise<unknown> =>
      kind === 'replay' ? calls.replays.cancel(uid) : calls.syncs.cancel(uid),
    changes: [[...key, `${kind}s`]],
    done: kind === 'replay' ? 'Replay cancelled.' : 'Sync cancelled.',
    onDone: close,
  });
  if (!mayChange || job?.finishedAt !== null) return null;
  return (
    <>
      <Button color="red" variant="light" onClick={open}>
        Cancel {kind}
      </Button>
      <Confirm
        title={`Cancel the ${kind}?`}
        verb={`Cancel ${kind}`}
        opened={isOpen}
        onClose={close}
        change={cancel}
      >
        Deliveries that are already queued are still sent. {children}
      </Confirm>
    </>
  );
}
