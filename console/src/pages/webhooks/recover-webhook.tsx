import type { ReplayDryRun, StartedReplay, Webhook } from '@agent-herald/client';
import { Alert, Button, Checkbox, Group, Modal, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { type CurrentApp, useApp } from '../../api/app.tsx';
import { webhookLabel } from '../../api/webhooks.ts';
import { Fault } from '../../parts/fault.tsx';
import { ButtonLink } from '../../parts/links.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { useChange } from '../../parts/use-change.tsx';
import { visibleText } from '../../parts/visible-text.ts';
import { waitingNote } from '../replays/job-outcomes.ts';
import { type Found, foundBy, lostStates, textOf } from './found-deliveries.ts';
import type { WebhookDialogProps } from './webhook-dialog.ts';

interface RecoveryProps {
  webhooks: readonly Webhook[];
}

/** Sends what waits or was lost at a webhook, or at a group of them. */
export function RecoverWebhook(props: WebhookDialogProps & { group?: readonly Webhook[] }) {
  const { webhook, group = [webhook], opened, onClose } = props;
  return (
    <Modal
      opened={opened}
      onClose={onClose}
      title={visibleText(
        group.length === 1
          ? `Recover deliveries of ${webhookLabel(webhook)}`
          : `Recover ${group.length} webhooks`,
      )}
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      <Recovery webhooks={group} />
    </Modal>
  );
}

type States = NonNullable<Parameters<CurrentApp['calls']['webhooks']['recover']>[1]['states']>;

/** Starts or counts the recovery of everything since the webhooks exist. */
function recover({ calls }: CurrentApp, webhooks: readonly Webhook[], states: States) {
  const [since = ''] = webhooks.map(({ createdAt }) => createdAt).toSorted();
  const webhookUids = webhooks.map(({ uid }) => uid);
  const [uid = ''] = webhookUids;
  return (dryRun: boolean) =>
    webhookUids.length === 1
      ? calls.webhooks.recover(uid, { since, states, dryRun })
      : calls.replays.create({ since, states, dryRun, webhookUids });
}

/** Counts the deliveries in some states, anew whenever somebody looks. */
function useCount(webhooks: readonly Webhook[], states: States) {
  const current = useApp();
  return useQuery({
    queryKey: [...current.key, 'deliveries', 'count', states, webhooks.map(({ uid }) => uid)],
    queryFn: async () => (await recover(current, webhooks, states)(true)) as ReplayDryRun,
    gcTime: 0,
  });
}

/** Says how many deliveries of a webhook that works wait for a retry, and offers to send them. */
export function Waiting({ webhook, onSend }: { webhook: Webhook; onSend: () => void }) {
  const count = useCount([webhook], ['retrying']);
  const found = count.data && foundBy(count.data, count.dataUpdatedAt);
  if (found === undefined || found.retrying === 0) return null;
  return (
    <Alert color="blue" variant="light" title={textOf(found)} role="status">
      <Button size="compact-sm" onClick={onSend}>
        Send now
      </Button>
    </Alert>
  );
}

/** Counts what waits or was lost, and offers to send it. */
export function Recovery({ webhooks }: RecoveryProps) {
  const count = useCount(webhooks, [...lostStates, 'retrying', 'held']);
  return (
    <Loaded query={count}>
      {(dryRun) => <Offer webhooks={webhooks} found={foundBy(dryRun, count.dataUpdatedAt)} />}
    </Loaded>
  );
}

function Offer({ webhooks, found }: RecoveryProps & { found: Found }) {
  const current = useApp();
  const [isWithLost, setWithLost] = useState(true);
  const paused = webhooks.filter(({ active }) => !active);
  const states: States = isWithLost ? [...lostStates, 'retrying'] : ['retrying'];
  const count = found.retrying + (isWithLost ? found.lost : 0);
  const send = useChange({
    change: async () => {
      // A resume also sends the held deliveries.
      for (const { uid } of paused) await current.calls.webhooks.change(uid, { active: true });
      return count === 0 ? null : recover(current, webhooks, states)(false);
    },
    changes: ['replays', 'deliveries', 'webhooks'].map((name) => [...current.key, name]),
  });
  if (send.data !== undefined) return <Started replay={send.data as StartedReplay | null} />;
  const total = count + found.held;
  const them = total === 1 ? 'it' : 'them';
  const verb = total === 0 ? 'Resume' : `Resume and send ${them}`;
  return (
    <Stack gap="sm">
      <Text role="status" fw={600}>
        {textOf(found)}
      </Text>
      {found.lost > 0 && found.retrying + found.held > 0 && (
        <Checkbox
          label="Send lost deliveries, too"
          checked={isWithLost}
          onChange={(event) => setWithLost(event.currentTarget.checked)}
        />
      )}
      {paused.length > 0 && (
        <Text size="sm">
          {webhooks.length === 1
            ? 'The webhook is inactive.'
            : `${paused.length} of ${webhooks.length} webhooks are inactive.`}{' '}
          A resume also sends held deliveries and new events.
        </Text>
      )}
      {send.error !== null && <Fault error={send.error} />}
      {(total > 0 || paused.length > 0) && (
        <Group justify="flex-end">
          <Button onClick={() => send.mutate()} loading={send.isPending} data-autofocus>
            {paused.length > 0 ? verb : `Send ${them} now`}
          </Button>
        </Group>
      )}
    </Stack>
  );
}

function Started({ replay }: { replay: StartedReplay | null }) {
  const { app } = useApp();
  return (
    <Stack gap="sm" role="status">
      <Alert color="teal" variant="light">
        {replay === null
          ? 'Resumed. Held deliveries are being sent.'
          : `They are being sent, at most ${replay.perSecond} per second.`}
        {replay?.state === 'waiting' && <Text size="sm">{waitingNote}</Text>}
      </Alert>
      {replay !== null && (
        <ButtonLink
          variant="default"
          to="/apps/$appUid/replays/$replayUid"
          params={{ appUid: app.uid, replayUid: replay.uid }}
        >
          See the progress
        </ButtonLink>
      )}
    </Stack>
  );
}
