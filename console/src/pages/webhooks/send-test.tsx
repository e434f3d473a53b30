import { NotFoundError, type TestWebhookBody } from '@agent-herald/client';
import { Button, Group, Loader, Modal, Select, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useApp } from '../../api/app.tsx';
import { webhookLabel } from '../../api/webhooks.ts';
import { Fault } from '../../parts/fault.tsx';
import { formatDuration } from '../../parts/format-time.ts';
import { AnchorLink } from '../../parts/links.tsx';
import { StateBadge } from '../../parts/state-badge.tsx';
import { Block, Line } from '../../parts/untrusted.tsx';
import { useChange } from '../../parts/use-change.tsx';
import { groupsOf } from './event-choices.ts';
import { Recovery } from './recover-webhook.tsx';
import { useEventTypes } from './use-event-types.ts';
import type { WebhookDialogProps } from './webhook-dialog.ts';

const testEvent = 'webhook.test';
const pollMs = 400;

/** Sends a test event and shows the response. */
export function SendTest({ webhook, opened, onClose }: WebhookDialogProps) {
  return (
    <Modal
      opened={opened}
      onClose={onClose}
      title={<Line text={`Send a test event to ${webhookLabel(webhook)}`} />}
      size="lg"
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      <Test webhook={webhook} />
    </Modal>
  );
}

function Test({ webhook }: Pick<WebhookDialogProps, 'webhook'>) {
  const { uid, kind } = webhook;
  // A success ends the failures, but what they lost is still to be recovered.
  const [before] = useState(webhook);
  const { calls, key } = useApp();
  const types = useEventTypes();
  const [event, setEvent] = useState<string>(testEvent);
  const send = useChange({
    change: () =>
      calls.webhooks.test(uid, { event: event as NonNullable<TestWebhookBody['event']> }),
    changes: [[...key, 'deliveries']],
  });
  const eventId = send.isPending ? undefined : send.data?.eventId;
  const answer = useFirstAttempt(eventId, uid);
  const isDelivered = eventId !== undefined && answer.data?.state === 'delivered';
  const samples = groupsOf(kind, types.data ?? []).flatMap(({ events }) =>
    events.map(({ event: name }) => name),
  );
  return (
    <Stack>
      <Select
        label="Event"
        description="A test event is marked in its payload and in the header X-Webhook-Test. Other events are sent as samples."
        data={[testEvent, ...samples]}
        value={event}
        onChange={(chosen) => setEvent(chosen ?? testEvent)}
        allowDeselect={false}
      />
      {send.error !== null && <Fault error={send.error} />}
      {eventId !== undefined && <Answer of={answer} eventId={eventId} webhookUid={uid} />}
      {isDelivered && before.failingSince !== null && (
        <Text size="sm">The receiver works again.</Text>
      )}
      {isDelivered && <Recovery key={eventId} webhooks={[webhook]} />}
      <Group justify="flex-end">
        <Button
          // After a success, the next step is the recovery.
          variant={isDelivered ? 'default' : 'filled'}
          onClick={() => send.mutate()}
          loading={send.isPending}
        >
          {send.data === undefined ? 'Send' : 'Test again'}
        </Button>
      </Group>
    </Stack>
  );
}

interface AnswerProps {
  of: ReturnType<typeof useFirstAttempt>;
  eventId: string;
  webhookUid: string;
}

function Answer({ of: { data: delivery, error, refetch }, eventId, webhookUid }: AnswerProps) {
  const { app } = useApp();
  const attempt = delivery?.attempts.at(-1);
  if (error !== null) return <Fault error={error} retry={() => void refetch()} />;
  if (!delivery || attempt === undefined) {
    return (
      <Group gap="xs" role="status">
        <Loader size="xs" aria-hidden="true" />
        <Text size="sm">Sent. Waiting up to 5 seconds for the response.</Text>
      </Group>
    );
  }
  return (
    <Stack gap="xs" role="status" aria-label="Response">
      <Group gap="sm">
        <StateBadge state={delivery.state} />
        <Text fw={600}>{attempt.status === null ? 'No response' : `Status ${attempt.status}`}</Text>
        <Text c="dimmed">in {formatDuration(attempt.ms.total)}</Text>
        <AnchorLink
          size="sm"
          to="/apps/$appUid/deliveries/$eventId/$webhookUid"
          params={{ appUid: app.uid, eventId, webhookUid }}
        >
          See the delivery
        </AnchorLink>
      </Group>
      {attempt.detail !== null && (
        <Text size="sm">
          <Line text={attempt.detail} />
        </Text>
      )}
      {attempt.responseSample !== '' && (
        <Block label="Response body" text={attempt.responseSample} />
      )}
    </Stack>
  );
}

/** The delivery, refreshed until its first attempt is recorded. */
function useFirstAttempt(eventId: string | undefined, webhookUid: string) {
  const { calls, key } = useApp();
  return useQuery({
    queryKey: [...key, 'deliveries', 'test', eventId, webhookUid],
    enabled: eventId !== undefined,
    queryFn: async ({ signal }) => {
      try {
        if (eventId === undefined) return null;
        return await calls.deliveries.get(eventId, webhookUid, { signal });
      } catch (error) {
        // The delivery is recorded a moment after the event.
        if (error instanceof NotFoundError) return null;
        throw error;
      }
    },
    refetchInterval: ({ state: { data, error } }) =>
      error !== null || (data?.attempts.length ?? 0) > 0 ? false : pollMs,
  });
}
