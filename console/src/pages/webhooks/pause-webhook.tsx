import { Radio, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { useApp } from '../../api/app.tsx';
import { useSettings } from '../../api/settings.ts';
import { durationWords } from '../../parts/duration-words.ts';
import { FormDialog } from '../../parts/form-dialog.tsx';
import { useChange } from '../../parts/use-change.tsx';
import { formatHeld } from '../../statistics/outcomes.ts';
import type { WebhookDialogProps } from './webhook-dialog.ts';

export function PauseWebhook({ webhook, opened, onClose }: WebhookDialogProps) {
  const { calls, key } = useApp();
  const settings = useSettings();
  const pause = useChange({
    change: () => calls.webhooks.change(webhook.uid, { active: false }),
    changes: [[...key, 'webhooks']],
    done: 'Paused: what it gets is held.',
    onDone: onClose,
  });
  return (
    <FormDialog
      title="Pause the webhook"
      verb="Pause"
      opened={opened}
      onClose={onClose}
      change={pause}
    >
      <Text size="sm">
        Nothing is sent until you resume it. New events, and retries that come due, are held, for{' '}
        {durationWords(settings?.retention.held ?? 'some days')} at most.
      </Text>
    </FormDialog>
  );
}

export function ResumeWebhook({ webhook, opened, onClose }: WebhookDialogProps) {
  const { calls, key } = useApp();
  const [onResume, setOnResume] = useState<string>('deliver');
  const resume = useChange({
    change: () =>
      calls.webhooks.change(webhook.uid, {
        active: true,
        onResume: onResume === 'discard' ? 'discard' : 'deliver',
      }),
    changes: [[...key, 'webhooks']],
    done:
      onResume === 'discard'
        ? 'Resumed; what was held is dropped.'
        : 'Resumed; what was held is sent.',
    onDone: onClose,
  });
  return (
    <FormDialog
      title="Resume the webhook"
      verb="Resume"
      {...(onResume === 'discard' ? { color: 'red' } : {})}
      opened={opened}
      onClose={onClose}
      change={resume}
    >
      <Stack gap="sm">
        <Text size="sm">
          {formatHeld(webhook.heldCount)}{' '}
          {webhook.heldCount === 1 ? 'delivery is' : 'deliveries are'} held. New events are sent
          immediately.
        </Text>
        <Radio.Group label="What is held" value={onResume} onChange={setOnResume}>
          <Stack gap="xs" mt={6}>
            <Radio
              value="deliver"
              label="Deliver it"
              description="The oldest first, at most 20 a second."
            />
            <Radio
              value="discard"
              label="Discard it"
              description="Also retries that are not due yet. They become cancelled. Only a replay of discarded deliveries, or a resend, sends them."
            />
          </Stack>
        </Radio.Group>
      </Stack>
    </FormDialog>
  );
}
