import type { DeliveryDetail } from '@agent-herald/client';
import { Button } from '@mantine/core';
import { useApp } from '../../api/app.tsx';
import { Confirm } from '../../parts/confirm.tsx';
import { useChange } from '../../parts/use-change.tsx';
import { type DialogState, useDialog } from '../../parts/use-dialog.tsx';

const openStates: readonly string[] = ['pending', 'retrying', 'held'];

/** Gives up an open delivery, for example one that its receiver will never accept. */
export function SkipDelivery({ delivery }: { delivery: DeliveryDetail }) {
  const dialog = useDialog();
  return (
    <>
      {openStates.includes(delivery.state) && (
        <Button variant="default" onClick={() => dialog.open(true)}>
          Skip
        </Button>
      )}
      {dialog.of((_subject, state) => (
        <ConfirmSkip delivery={delivery} {...state} />
      ))}
    </>
  );
}

function ConfirmSkip({ delivery, ...dialog }: DialogState & { delivery: DeliveryDetail }) {
  const { calls, key } = useApp();
  const skip = useChange({
    change: () => calls.deliveries.skip(delivery.eventId, delivery.webhookUid),
    changes: [key],
    done: 'Skipped. It is no longer sent.',
    onDone: dialog.onClose,
  });
  return (
    <Confirm {...dialog} title="Skip the delivery?" verb="Skip" change={skip}>
      It is cancelled, and the next event of an ordered resource is sent. You can still resend it
      later.
    </Confirm>
  );
}
