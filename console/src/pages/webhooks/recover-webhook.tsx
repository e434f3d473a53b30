import type { ReplayDryRun, StartedReplay } from '@agent-herald/client';
import { Alert, Button, Group, Modal, Stack, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useApp } from '../../api/app.tsx';
import { Fault } from '../../parts/fault.tsx';
import { toLocalInput } from '../../parts/local-time.ts';
import { ButtonLink } from '../../parts/links.tsx';
import { useChange } from '../../parts/use-change.tsx';
import { formatCapped } from '../../statistics/outcomes.ts';
import type { WebhookDialogProps } from './webhook-dialog.ts';

const dayMs = 86_400_000;

/** Counts what was lost since a time, and sends it again. */
export function RecoverWebhook({ webhook, opened, onClose }: WebhookDialogProps) {
  return (
    <Modal
      opened={opened}
      onClose={onClose}
      title="Recover what was lost"
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      <Recovery webhook={webhook} />
    </Modal>
  );
}

function Recovery({ webhook }: Pick<WebhookDialogProps, 'webhook'>) {
  const { calls, key } = useApp();
  const [since, setSince] = useState(() =>
    toLocalInput(webhook.failingSince ?? new Date(Date.now() - dayMs).toISOString()),
  );
  const at = new Date(since);
  const call = (dryRun: boolean) =>
    calls.webhooks.recover(webhook.uid, { since: at.toISOString(), dryRun });
  const count = useChange({ change: () => call(true), changes: [] });
  const start = useChange({
    change: () => call(false),
    changes: [
      [...key, 'replays'],
      [...key, 'deliveries'],
    ],
    done: 'What was lost is being sent again.',
  });
  const found = count.data !== undefined && 'count' in count.data ? count.data : null;
  const started = start.data !== undefined && 'uid' in start.data ? start.data : null;
  if (started !== null) return <Started replay={started} />;
  const error = count.error ?? start.error;
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        count.mutate();
      }}
    >
      <Stack>
        <Text size="sm">
          Sends again what used up its attempts, was blocked, or was held for too long. What
          somebody discarded is left alone. Your receiver may get some of it twice.
        </Text>
        <TextInput
          type="datetime-local"
          label="Events recorded since"
          required
          value={since}
          onChange={(event) => {
            setSince(event.currentTarget.value);
            count.reset();
          }}
        />
        {found !== null && <Found dryRun={found} />}
        {error !== null && <Fault error={error} />}
        <Group justify="flex-end">
          <Button
            type="submit"
            variant="default"
            loading={count.isPending}
            disabled={Number.isNaN(at.getTime())}
          >
            Count
          </Button>
          <Button
            onClick={() => start.mutate()}
            loading={start.isPending}
            disabled={found === null || found.count === 0}
          >
            Send again
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

function Found({ dryRun: { count, countIsCapped } }: { dryRun: ReplayDryRun }) {
  return (
    <Text role="status" fw={600}>
      {formatCapped({ count, countIsCapped })} {count === 1 ? 'delivery was' : 'deliveries were'}{' '}
      lost.
    </Text>
  );
}

function Started({ replay }: { replay: StartedReplay }) {
  const { app } = useApp();
  return (
    <Stack>
      <Alert color="teal" variant="light" role="status">
        A replay sends it again, at most {replay.perSecond} a second.
        {replay.pausedWebhookUids.length > 0 &&
          ' The webhook is paused: it holds them until it is resumed.'}
      </Alert>
      <ButtonLink
        to="/apps/$appUid/replays/$replayUid"
        params={{ appUid: app.uid, replayUid: replay.uid }}
      >
        See the replay
      </ButtonLink>
    </Stack>
  );
}
