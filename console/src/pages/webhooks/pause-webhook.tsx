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
    done: 'Paused. New deliveries are held.',
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
        Nothing is sent until you resume the webhook. New events and due retries are held for up to{' '}
        {durationWords(settings?.retention.held ?? 'a few days')}.
      </Text>
    </FormDialog>
  );
}

// A longer label would be cut off on a phone. The dialog has the exact number.
const namedCountMax = 999;

function resumeVerb(heldCount: number, onResume: string): string {
  if (onResume !== 'discard') return 'Resume';
  if (heldCount === 0) return 'Discard and resume';
  if (heldCount > namedCountMax) return 'Discard all deliveries';
  return `Discard ${heldCount} ${heldCount === 1 ? 'delivery' : 'deliveries'}`;
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
        ? 'Resumed. Held deliveries were discarded.'
        : 'Resumed. Held deliveries are being sent.',
    onDone: onClose,
  });
  return (
    <FormDialog
      title="Resume the webhook"
      verb={resumeVerb(webhook.heldCount, onResume)}
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
        <Radio.Group label="Held deliveries" value={onResume} onChange={setOnResume}>
          <Stack gap="xs" mt={6}>
            <Radio
              value="deliver"
              label="Deliver them"
              description="Oldest first, at most 20 per second."
            />
            <Radio
              value="discard"
              label="Discard them"
              description="Also cancels retries that are not due yet. Only a resend, or a replay of discarded deliveries, can send them later."
            />
          </Stack>
        </Radio.Group>
      </Stack>
    </FormDialog>
  );
}
