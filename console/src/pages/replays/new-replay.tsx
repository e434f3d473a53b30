import type { ReplayDryRun, StartedReplay } from '@agent-herald/client';
import { Alert, Button, Card, Group, Stack, Text, Title } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { type CurrentApp, useApp } from '../../api/app.tsx';
import { Fault } from '../../parts/fault.tsx';
import { useKeptInput } from '../../parts/kept-input.ts';
import { Page } from '../../parts/page.tsx';
import { Restored } from '../../parts/unsaved.tsx';
import { useChange } from '../../parts/use-change.tsx';
import { ReplayFields } from './replay-fields.tsx';
import { ReplayedWebhooks } from './replayed-webhooks.tsx';
import {
  bodyOf,
  countsByState,
  durationOf,
  failedChoices,
  type Wish,
  wishFault,
} from './replay-wish.ts';

type Body = ReturnType<typeof bodyOf>;

interface Count {
  /** The counted body. It is sent unchanged, so that the replay sends exactly what was counted. */
  body: Body;
  webhookUid: string;
  result: ReplayDryRun;
}

const perSecondUsually = 20;

/** Starts or counts a replay, for the application or one of its webhooks. */
function create({ calls }: CurrentApp, webhookUid: string, body: Body) {
  if (webhookUid !== '') return calls.webhookReplays.create(webhookUid, body);
  // The form offers only states that a replay of the application accepts.
  return calls.replays.create(body as Parameters<typeof calls.replays.create>[0]);
}

/** The values of the form, which this tab keeps until the replay starts. */
function useWish() {
  const { app } = useApp();
  const { since, until, webhookUid, missed } = useSearch({
    from: '/signed-in/apps/$appUid/replays/new',
  });
  const initial: Wish = {
    range: since === undefined ? (missed === 'true' ? 'day' : 'hour') : 'own',
    since: since ?? '',
    until: until ?? '',
    webhookUid: webhookUid ?? '',
    events: [],
    externalTenantId: '',
    kinds: missed === 'true' ? 'own' : 'failed',
    choices: missed === 'true' ? ['never_attempted'] : failedChoices,
    perSecond: perSecondUsually,
  };
  const asked = [app.uid, webhookUid, since, until, missed].join(' ');
  const kept = useKeptInput<Wish>(`replay:${asked}`);
  const [isBack, setBack] = useState(kept.restored !== null);
  const [wish, showWish] = useState(kept.restored ?? initial);
  const setWish = (values: Wish): void => {
    showWish(values);
    kept.keep(values);
  };
  const discard = (): void => {
    showWish(initial);
    kept.keep(null);
    setBack(false);
  };
  return { wish, setWish, kept, isBack, discard };
}

/** Counts failed deliveries of a period, and sends them again. */
export function NewReplay() {
  const current = useApp();
  const { wish, setWish, kept, isBack, discard } = useWish();
  const counting = useMutation({
    mutationFn: async (wanted: Wish): Promise<Count> => {
      const { webhookUid } = wanted;
      const body = bodyOf(wanted, new Date());
      const result = await create(current, webhookUid, { ...body, dryRun: true });
      return { body, webhookUid, result: result as ReplayDryRun };
    },
  });
  const fault = wishFault(wish);
  if (!current.mayChange)
    return <Page title="Start a replay">Only admins of the application can start replays.</Page>;
  return (
    <Page
      title="Start a replay"
      about="Send deliveries of a period again, oldest events first. You see how many match before anything is sent."
    >
      <Card withBorder padding="lg">
        <form
          onSubmit={(event) => {
            event.preventDefault();
            counting.mutate(wish);
          }}
        >
          <Stack gap="md">
            {isBack && <Restored except="Nothing has been sent yet." onDiscard={discard} />}
            <ReplayFields
              wish={wish}
              change={(fields) => {
                setWish({ ...wish, ...fields });
                counting.reset();
              }}
            />
            {fault !== null && <Text size="sm">{fault}</Text>}
            {counting.error !== null && <Fault error={counting.error} />}
            <Group>
              <Button
                type="submit"
                variant={counting.data === undefined ? 'filled' : 'default'}
                loading={counting.isPending}
                disabled={fault !== null}
              >
                Count deliveries
              </Button>
            </Group>
          </Stack>
        </form>
      </Card>
      {counting.data !== undefined && (
        <Start count={counting.data} onStarted={() => kept.keep(null)} />
      )}
    </Page>
  );
}

/** Returns how many of the webhooks that get deliveries are paused. */
function heldBy({ pausedWebhookUids }: StartedReplay, { webhooks }: ReplayDryRun): string {
  const held = webhooks.filter(({ webhookUid }) => pausedWebhookUids.includes(webhookUid));
  if (held.length === 0) return '';
  if (webhooks.length === 1) return ' The webhook is paused and holds them until you resume it.';
  return ` Paused webhooks hold theirs until you resume them: ${held.length} of ${webhooks.length}.`;
}

function Start({
  count: { body, webhookUid, result },
  onStarted,
}: {
  count: Count;
  onStarted: () => void;
}) {
  const current = useApp();
  const navigate = useNavigate();
  const start = useChange({
    change: () => create(current, webhookUid, body),
    changes: [[...current.key, 'replays']],
    done: (started) => `Replay started.${heldBy(started as StartedReplay, result)}`,
    onDone: (started) => {
      onStarted();
      void navigate({
        to: '/apps/$appUid/replays/$replayUid',
        params: { appUid: current.app.uid, replayUid: (started as StartedReplay).uid },
      });
    },
  });
  const { count, countIsCapped } = result;
  const shown = `${countIsCapped ? 'At least ' : ''}${count.toLocaleString('en')}`;
  if (count === 0 && !countIsCapped) {
    return (
      <Alert color="gray" title="Nothing to send" role="status">
        No deliveries in this period match. Choose a longer period or other deliveries.
      </Alert>
    );
  }
  return (
    <Card withBorder padding="lg" role="status">
      <Stack gap="sm" align="flex-start">
        <Title order={2} size="h4">
          {`${shown} ${count === 1 ? 'delivery' : 'deliveries'} would be sent again`}
        </Title>
        <Text size="sm">By state: {countsByState(result.states)}.</Text>
        <ReplayedWebhooks of={result.webhooks} />
        <Text size="sm">
          At {body.perSecond} per second, this takes at least{' '}
          {durationOf(count, body.perSecond ?? perSecondUsually)}.
        </Text>
        {start.error !== null && <Fault error={start.error} />}
        <Button loading={start.isPending} onClick={() => start.mutate()}>
          Start replay
        </Button>
      </Stack>
    </Card>
  );
}
