import type { EventWithPayload } from '@agent-herald/client';
import { Button, Group, Modal, MultiSelect, Stack, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useState } from 'react';
import { useApp } from '../../api/app.tsx';
import { useKnownWebhooks, webhookLabel } from '../../api/webhooks.ts';
import { Fault } from '../../parts/fault.tsx';
import { useChange } from '../../parts/use-change.tsx';
import { visibleText } from '../../parts/visible-text.ts';

/** Resends an event to the webhooks that had it, or to others. */
export function ResendEvent({ event }: { event: EventWithPayload }) {
  const { calls, key } = useApp();
  const webhooks = useKnownWebhooks();
  const [isOpen, { open, close }] = useDisclosure();
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
    onDone: close,
  });
  return (
    <>
      <Button onClick={open}>Resend</Button>
      <Modal
        opened={isOpen}
        onClose={close}
        title="Resend the event"
        closeButtonProps={{ 'aria-label': 'Close' }}
      >
        <Stack>
          <Text size="sm">
            It is sent now, whatever its state: the same bytes and id, with a new time and
            signature. Receivers that have it already should know it by its id.
          </Text>
          <MultiSelect
            label="To these webhooks"
            data={webhooks.map((webhook) => ({
              value: webhook.uid,
              label: visibleText(webhookLabel(webhook)),
            }))}
            value={webhookUids}
            onChange={setChosen}
            searchable
          />
          {resend.error !== null && <Fault error={resend.error} />}
          <Group justify="flex-end">
            <Button variant="default" onClick={close}>
              Cancel
            </Button>
            <Button
              loading={resend.isPending}
              disabled={webhookUids.length === 0}
              onClick={() => resend.mutate()}
            >
              Send
            </Button>
          </Group>
        </Stack>
      </Modal>
    </>
  );
}
