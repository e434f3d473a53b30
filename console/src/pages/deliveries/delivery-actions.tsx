import type { DeliveryDetail } from '@agent-herald/client';
import { Button, CopyButton, Menu } from '@mantine/core';
import { ChevronDown } from 'lucide-react';
import { useApp } from '../../api/app.tsx';
import { FormDialog } from '../../parts/form-dialog.tsx';
import { useChange } from '../../parts/use-change.tsx';
import { type DialogState, useDialog } from '../../parts/use-dialog.tsx';
import { notifyOfFault } from '../../parts/notify-of-fault.ts';
import { curlCommand } from './curl-command.ts';
import { needsQuestion } from './resend-choice.ts';
import { ResendEffects } from './resend-effects.tsx';
import { SkipDelivery } from './skip-delivery.tsx';

interface DeliveryActionsProps {
  delivery: DeliveryDetail;
  /** False if the webhook was deleted. It gets no more deliveries. */
  hasWebhook: boolean;
  onResent: () => void;
}

/** The buttons of a delivery. */
export function DeliveryActions({ delivery, hasWebhook, onResent }: DeliveryActionsProps) {
  const { mayChange } = useApp();
  const { request, attempts } = delivery;
  return (
    <>
      {request !== null && attempts.length > 0 && (
        <Menu position="bottom-end">
          <Menu.Target>
            <Button variant="default" rightSection={<ChevronDown size={16} />}>
              More
            </Button>
          </Menu.Target>
          <Menu.Dropdown>
            <CopyButton value={curlCommand(request)}>
              {({ copied, copy }) => (
                <Menu.Item closeMenuOnClick={false} onClick={copy}>
                  {copied ? 'Copied' : 'Copy as curl'}
                </Menu.Item>
              )}
            </CopyButton>
          </Menu.Dropdown>
        </Menu>
      )}
      {mayChange && <SkipDelivery delivery={delivery} />}
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

/** Asks first if the receiver may get the event twice, or if the delivery was cancelled on purpose. */
function Resend({ delivery, onResent }: ResendProps) {
  const asking = useDialog<DeliveryDetail>();
  const resend = useResend({ delivery, onResent });
  const start = (): void => {
    if (needsQuestion(delivery)) asking.open(delivery);
    else resend.mutate(undefined, { onError: notifyOfFault });
  };
  return (
    <>
      <Button loading={resend.isPending} onClick={start}>
        Resend
      </Button>
      {asking.of((resent, dialog) => (
        <ConfirmResend {...dialog} delivery={resent} onResent={onResent} />
      ))}
    </>
  );
}

function ConfirmResend({ delivery, onResent, ...dialog }: ResendProps & DialogState) {
  const onDone = (): void => {
    dialog.onClose();
    onResent();
  };
  const resend = useResend({ delivery, onResent: onDone });
  return (
    <FormDialog {...dialog} title="Resend the delivery?" verb="Resend" change={resend}>
      <ResendEffects of={[delivery]} />
    </FormDialog>
  );
}

function useResend({ delivery: { eventId, webhookUid }, onResent }: ResendProps) {
  const { calls, key } = useApp();
  return useChange({
    change: () => calls.events.resend(eventId, { webhookUids: [webhookUid] }),
    changes: [key],
    done: ({ pausedWebhookUids }) =>
      pausedWebhookUids.length === 0
        ? 'Resend started.'
        : 'The webhook is paused. The event is held, and sent when you resume it.',
    onDone: onResent,
  });
}
