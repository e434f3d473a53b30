import type { Delivery, EventWithPayload } from '@agent-herald/client';
import { Button, MultiSelect, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useApp } from '../../api/app.tsx';
import { useKnownWebhooks } from '../../api/webhooks.ts';
import { Fault } from '../../parts/fault.tsx';
import { FormDialog } from '../../parts/form-dialog.tsx';
import { useChange } from '../../parts/use-change.tsx';
import { type DialogState, useDialog } from '../../parts/use-dialog.tsx';
import { webhookChoices } from '../../parts/webhook-choices.ts';
import { hasFailed } from '../deliveries/resend-choice.ts';
import { ResendEffects } from '../deliveries/resend-effects.tsx';

/** Resends an event to the webhooks where it failed, or to others. */
export function ResendEvent({ event }: { event: EventWithPayload }) {
  const resending = useDialog();
  return (
    <>
      <Button onClick={() => resending.open(true)}>Resend</Button>
      {resending.of((_, dialog) => (
        <ResendForm {...dialog} event={event} />
      ))}
    </>
  );
}

/** Returns the deliveries of an event to all of its webhooks. */
function useDeliveries(eventId: string) {
  const { calls, key } = useApp();
  return useQuery({
    queryKey: [...key, 'deliveries', 'all of', eventId],
    queryFn: async ({ signal }) => {
      const deliveries: Delivery[] = [];
      for await (const one of calls.events.deliveries(eventId, {}, { signal }))
        deliveries.push(one);
      return deliveries;
    },
  });
}

function ResendForm({ event, ...dialog }: DialogState & { event: EventWithPayload }) {
  const { calls, key } = useApp();
  const webhooks = useKnownWebhooks();
  const { data: deliveries = [], isPending, error } = useDeliveries(event.eventId);
  const failed = deliveries.filter(
    (delivery) => hasFailed(delivery) && webhooks.some(({ uid }) => uid === delivery.webhookUid),
  );
  const [chosen, setChosen] = useState<string[] | null>(null);
  const webhookUids = chosen ?? failed.map(({ webhookUid }) => webhookUid);
  const resend = useChange({
    change: () => calls.events.resend(event.eventId, { webhookUids }),
    changes: [key],
    done: ({ pausedWebhookUids: paused }) =>
      paused.length === 0
        ? 'Resend started.'
        : `Resend started. Paused webhooks hold the event until you resume them: ${paused.length}.`,
    onDone: dialog.onClose,
  });
  return (
    <FormDialog
      {...dialog}
      title="Resend the event"
      verb={`Resend to ${webhookUids.length} ${webhookUids.length === 1 ? 'webhook' : 'webhooks'}`}
      isReady={webhookUids.length > 0 && !isPending && error === null}
      change={resend}
    >
      <Text size="sm">
        The event is sent now, with the same bytes and ID but a new timestamp and signature.
        Webhooks where it failed are preselected.
      </Text>
      {error !== null && <Fault error={error} />}
      <MultiSelect
        label="Webhooks"
        data={webhookChoices(webhooks)}
        value={webhookUids}
        onChange={setChosen}
        disabled={isPending}
        searchable
      />
      <ResendEffects of={deliveries.filter((one) => webhookUids.includes(one.webhookUid))} />
    </FormDialog>
  );
}
