import type { ReplayDetail } from '@agent-herald/client';
import { Card, Group, Progress, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { useApp } from '../../api/app.tsx';
import { Facts } from '../../parts/facts.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { Page } from '../../parts/page.tsx';
import { Section } from '../../parts/section.tsx';
import { Tag } from '../../parts/state-badge.tsx';
import { Uid } from '../../parts/uid.tsx';
import { Line } from '../../parts/untrusted.tsx';
import { AtTime, When } from '../../parts/when.tsx';
import { CancelJob } from './cancel-job.tsx';
import { describeOutcomes, isInProgress, waitingNote } from './job-outcomes.ts';
import { replayColors } from './replay-colors.ts';
import { progressOf } from './replay-progress.ts';
import { ReplayedWebhooks } from './replayed-webhooks.tsx';

const refreshMs = 2_000;

/** A replay and its progress. */
export function ReplayPage() {
  const { calls, key } = useApp();
  const { replayUid } = useParams({ from: '/signed-in/apps/$appUid/replays/$replayUid' });
  const query = useQuery({
    queryKey: [...key, 'replays', replayUid],
    queryFn: ({ signal }) => calls.replays.get(replayUid, { signal }),
    refetchInterval: ({ state: { data } }) => (data && isInProgress(data) ? refreshMs : false),
  });
  return (
    <Page
      title="Replay"
      about={<Uid value={replayUid} />}
      actions={
        <CancelJob kind="replay" job={query.data}>
          The others stay as they are; a new replay can send them.
        </CancelJob>
      }
    >
      <Loaded query={query}>{(replay) => <Sections replay={replay} />}</Loaded>
    </Page>
  );
}

function Sections({ replay }: { replay: ReplayDetail }) {
  return (
    <>
      <ProgressCard replay={replay} />
      <Section title="Selection">
        <Wanted replay={replay} />
      </Section>
      <Section title="Webhooks">
        {replay.webhooks.length === 0 ? (
          <Text c="dimmed">No deliveries found yet.</Text>
        ) : (
          <ReplayedWebhooks
            of={replay.webhooks.map(({ webhookUid, releasedCount: count }) => ({
              webhookUid,
              count,
            }))}
          />
        )}
      </Section>
    </>
  );
}

function ProgressCard({ replay }: { replay: ReplayDetail }) {
  const { state, finishedAt, releasedCount, webhooksDone, webhookCount } = replay;
  const percent = progressOf(replay);
  return (
    <Card withBorder padding="lg">
      <Stack gap="sm">
        <Group gap="sm">
          <Tag color={replayColors[state]}>{state}</Tag>
          <Text>
            {finishedAt === null
              ? `${releasedCount.toLocaleString('en')} ${releasedCount === 1 ? 'delivery' : 'deliveries'} queued; ` +
                `${webhooksDone} of ${webhookCount} ${webhookCount === 1 ? 'webhook' : 'webhooks'} done`
              : describeOutcomes(replay)}
          </Text>
        </Group>
        <Progress.Root size="lg">
          <Progress.Section
            value={percent}
            color={replayColors[state]}
            aria-label={`${percent}% of the period`}
          />
        </Progress.Root>
        <Text size="sm" c="dimmed">
          <Reached replay={replay} />
        </Text>
      </Stack>
    </Card>
  );
}

function Reached({ replay }: { replay: ReplayDetail }) {
  const { finishedAt, reachedAt } = replay;
  if (finishedAt !== null)
    return (
      <>
        Ended <AtTime at={finishedAt} />
      </>
    );
  if (replay.state === 'waiting') return waitingNote;
  if (reachedAt === null) return 'Starting with the oldest events';
  return (
    <>
      Now at events from <When at={reachedAt} />. So far: {describeOutcomes(replay)}
    </>
  );
}

function Wanted({ replay }: { replay: ReplayDetail }) {
  const { since, until, events, states, cancelReasons, externalTenantId, perSecond, createdAt } =
    replay;
  return (
    <Facts
      of={[
        ['From', <When key="since" at={since} />],
        ['Until', <When key="until" at={until} />],
        ['States', states.join(', ').replaceAll('_', ' ')],
        ...(states.includes('cancelled')
          ? [['Cancel reasons', cancelReasons.join(', ')] as const]
          : []),
        ['Events', events === null ? 'all' : events.join(', ')],
        [
          'Tenant',
          externalTenantId === null ? 'all' : <Line key="tenant" text={externalTenantId} />,
        ],
        ['Rate', `at most ${perSecond} per second`],
        ['Started', <When key="created" at={createdAt} />],
      ]}
    />
  );
}
