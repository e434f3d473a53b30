import { Button } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useApp } from '../../api/app.tsx';
import { Confirm } from '../../parts/confirm.tsx';
import { useChange } from '../../parts/use-change.tsx';

interface CancelJobProps {
  kind: 'replay' | 'sync';
  uid: string;
  /** What a new one does. */
  children: string;
}

/** The button that cancels a replay or sync. */
export function CancelJob({ kind, uid, children }: CancelJobProps) {
  const { calls, key } = useApp();
  const [isOpen, { open, close }] = useDisclosure();
  const cancel = useChange({
    change: (): Promise<unknown> =>
      kind === 'replay' ? calls.replays.cancel(uid) : calls.syncs.cancel(uid),
    changes: [[...key, `${kind}s`]],
    done: kind === 'replay' ? 'Replay cancelled.' : 'Sync cancelled.',
    onDone: close,
  });
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
