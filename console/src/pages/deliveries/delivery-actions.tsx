import type { DeliveryDetail } from '@agent-herald/client';
import { Button, CopyButton } from '@mantine/core';
import { useApp } from '../../api/app.tsx';
import { useChange } from '../../parts/use-change.tsx';
import { notifyOfFault } from '../../parts/notify-of-fault.ts';
import { curlCommand } from './curl-command.ts';

interface DeliveryActionsProps {
  delivery: DeliveryDetail;
  /** False once it is deleted: nothing is sent to it any more. */
  hasWebhook: boolean;
  onResent: () => void;
}

/** What can be done with a delivery. */
export function DeliveryActions({ delivery, hasWebhook, onResent }: DeliveryActionsProps) {
  const { mayChange } = useApp();
  const { request } = delivery;
  return (
    <>
      {request !== null && (
        <CopyButton value={curlCommand(request)}>
          {({ copied, copy }) => (
            <Button variant="default" onClick={copy}>
              {copied ? 'Copied' : 'Copy as curl'}
            </Button>
          )}
        </CopyButton>
      )}
      {mayChange && hasWebhook && request?.body !== null && (
        <Resend delivery={delivery} onResent={onResent} />
      )}
    </>
  );
}

interface ResendProps {
  delivery: DeliveryDetail;
  onResent: () => void;
}

function Resend({ delivery: { eventId, webhookUid }, onResent }: ResendProps) {
  const { calls, key } = useApp();
  const resend = useChange({
    change: () => calls.events.resend(eventId, { webhookUids: [webhookUid] }),
    changes: [key],
    done: ({ pausedWebhookUids }) =>
      pausedWebhookUids.length === 0
        ? 'It is being sent again.'
        : 'The webhook is paused. It holds the event, and is sent it when it is resumed.',
    onDone: onResent,
  });
  return (
    <Button
      loading={resend.isPending}
      onClick={() => resend.mutate(undefined, { onError: notifyOfFault })}
    >
      Resend
    </Button>
  );
}
