import type { ReplayDryRun, StartedReplay } from '@agent-herald/client';
import { Alert, Button, Group, Modal, Stack, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useApp } from '../../api/app.tsx';
import { useSettings } from '../../api/settings.ts';
import { Fault } from '../../parts/fault.tsx';
import { ButtonLink } from '../../parts/links.tsx';
import { fromLocalInput, toLocalInput } from '../../parts/local-time.ts';
import { useChange } from '../../parts/use-change.tsx';
import { When } from '../../parts/when.tsx';
import { formatCapped } from '../../statistics/outcomes.ts';
import { firstRecoverable, lostSince } from './lost-since.ts';
import type { WebhookDialogProps } from './webhook-dialog.ts';

/** Counts deliveries lost since a time, and sends them again. */
export function RecoverWebhook({ webhook, opened, onClose }: WebhookDialogProps) {
  return (
    <Modal
      opened={opened}
      onClose={onClose}
      title="Recover lost deliveries"
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      <Recovery webhook={webhook} />
    </Modal>
  );
}

export function Recovery({ webhook }: Pick<WebhookDialogProps, 'webhook'>) {
  const { calls, key } = useApp();
  const settings = useSettings();
  const kept = { recordsKept: settings?.retention.records ?? null, now: new Date() };
  // Computed once, so that what was counted is sent, even if the webhook recovers meanwhile.
  const [since, setSince] = useState(() => toLocalInput(lostSince(webhook, kept)));
  const at = fromLocalInput(since);
  const call = (dryRun: boolean) =>
    calls.webhooks.recover(webhook.uid, { since: at ?? '', dryRun });
  const count = useChange({ change: () => call(true), changes: [] });
  const start = useChange({
    change: () => call(false),
    changes: [
      [...key, 'replays'],
      [...key, 'deliveries'],
    ],
    done: 'Recovery started.',
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
          Sends deliveries that were exhausted, blocked, or held for too long. Discarded deliveries
          are not sent. Your receiver may get some events twice.
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
        {found !== null && at !== null && (
          <Found dryRun={found} since={at} first={firstRecoverable(webhook, kept)} />
        )}
        {error !== null && <Fault error={error} />}
        <Group justify="flex-end">
          <Button type="submit" variant="default" loading={count.isPending} disabled={at === null}>
            Count deliveries
          </Button>
          <Button
            onClick={() => start.mutate()}
            loading={start.isPending}
            disabled={found === null || found.count === 0}
          >
            Recover deliveries
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

interface FoundProps {
  dryRun: ReplayDryRun;
  since: string;
  /** The earliest time for which anything can be found. */
  first: string;
}

function Found({ dryRun: { count, countIsCapped }, since, first }: FoundProps) {
  if (count === 0) {
    return (
      <Text role="status" fw={600}>
        No lost deliveries of events recorded since <When at={since} />.{' '}
        {since > first && 'Choose an earlier time.'}
      </Text>
    );
  }
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
        A replay is sending them, at most {replay.perSecond} per second.
        {replay.pausedWebhookUids.length > 0 &&
          ' The webhook is paused and holds them until you resume it.'}
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
