import type { EventWithPayload } from '@agent-herald/client';
import { Button, MultiSelect, Text } from '@mantine/core';
import { useState } from 'react';
import { useApp } from '../../api/app.tsx';
import { useKnownWebhooks } from '../../api/webhooks.ts';
import { FormDialog } from '../../parts/form-dialog.tsx';
import { useChange } from '../../parts/use-change.tsx';
import { type DialogState, useDialog } from '../../parts/use-dialog.tsx';
import { webhookChoices } from '../../parts/webhook-choices.ts';

/** Resends an event to the webhooks that had it, or to others. */
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

function ResendForm({ event, ...dialog }: DialogState & { event: EventWithPayload }) {
  const { calls, key } = useApp();
  const webhooks = useKnownWebhooks();
  const known = event.webhookUids.filter((one) => webhooks.some(({ uid }) => uid === one));
  const [chosen, setChosen] = useState<string[] | null>(null);
  const webhookUids = chosen ?? known;
  const resend = useChange({
    change: () => calls.events.resend(event.eventId, { webhookUids }),
    changes: [key],
    done: ({ pausedWebhookUids: paused }) =>
      paused.length === 0
        ? 'It is being sent again.'
        : `It is being sent again; ${paused.length} paused of them hold it until they are resumed.`,
    onDone: dialog.onClose,
  });
  return (
    <FormDialog
      {...dialog}
      title="Resend the event"
      verb="Send"
      isReady={webhookUids.length > 0}
      change={resend}
    >
      <Text size="sm">
        It is sent now, whatever its state: the same bytes and id, with a new time and signature.
        Receivers that have it already should know it by its id.
      </Text>
      <MultiSelect
        label="To these webhooks"
        data={webhookChoices(webhooks)}
        value={webhookUids}
        onChange={setChosen}
        searchable
      />
    </FormDialog>
  );
}
