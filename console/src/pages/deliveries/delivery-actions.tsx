import type { DeliveryDetail } from '@agent-herald/client';
import { Button, CopyButton } from '@mantine/core';
import { useApp } from '../../api/app.tsx';
import { useChange } from '../../parts/use-change.tsx';
import { notifyOfFault } from '../../parts/notify-of-fault.ts';
import { curlCommand } from './curl-command.ts';

/** What can be done with a delivery. */
export function DeliveryActions({ delivery }: { delivery: DeliveryDetail }) {
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
      {mayChange && request?.body !== null && <Resend delivery={delivery} />}
    </>
  );
}

function Resend({ delivery: { eventId, webhookUid } }: { delivery: DeliveryDetail }) {
  const { calls, key } = useApp();
  const resend = useChange({
    change: () => calls.events.resend(eventId, { webhookUids: [webhookUid] }),
    changes: [key],
    done: ({ pausedWebhookUids }) =>
      pausedWebhookUids.length === 0
        ? 'It is being sent again.'
        : 'The webhook is paused. It holds the event, and is sent it when it is resumed.',
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
