import type { SyncDetail } from '@agent-herald/client';
import { Card, Group, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { useApp } from '../../api/app.tsx';
import { useKnownWebhooks } from '../../api/webhooks.ts';
import { Facts } from '../../parts/facts.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { Page } from '../../parts/page.tsx';
import { Section } from '../../parts/section.tsx';
import { Tag } from '../../parts/state-badge.tsx';
import { Uid } from '../../parts/uid.tsx';
import { Line } from '../../parts/untrusted.tsx';
import { AtTime, When } from '../../parts/when.tsx';
import { WebhookName } from '../deliveries/delivery-columns.tsx';
import { CancelJob } from '../replays/cancel-job.tsx';
import { describeOutcomes, isInProgress, waitingNote } from '../replays/job-outcomes.ts';
import { replayColors } from '../replays/replay-colors.ts';
import { describeCounts } from './sync-counts.ts';

const refreshMs = 2_000;

/** A sync and its progress. */
export function SyncPage() {
  const { calls, key } = useApp();
  const { syncUid } = useParams({ from: '/signed-in/apps/$appUid/syncs/$syncUid' });
  const query = useQuery({
    queryKey: [...key, 'syncs', syncUid],
    queryFn: ({ signal }) => calls.syncs.get(syncUid, { signal }),
    refetchInterval: ({ state: { data } }) => (data && isInProgress(data) ? refreshMs : false),
  });
  return (
    <Page
      title="Sync"
      about={<Uid value={syncUid} />}
      actions={
        <CancelJob kind="sync" job={query.data}>
          A new sync starts from the beginning.
        </CancelJob>
      }
    >
      <Loaded query={query}>{(sync) => <Sections sync={sync} />}</Loaded>
    </Page>
  );
}

function Sections({ sync }: { sync: SyncDetail }) {
  const { app } = useApp();
  const webhooks = useKnownWebhooks();
  const { webhookUid, entities, externalTenantIds, perSecond, createdAt } = sync;
  return (
    <>
      <Card withBorder padding="lg">
        <Group gap="sm">
          <Tag color={replayColors[sync.state]}>{sync.state}</Tag>
          <Text>
            {isBeginning(sync) ? 'Nothing is queued yet' : `${describeCounts(sync.counts)} queued`}
          </Text>
        </Group>
        <Text size="sm" c="dimmed" mt="sm">
          <Reached sync={sync} />
        </Text>
      </Card>
      <Section title="Selection">
        <Facts
          of={[
            ['Webhook', <WebhookName key="to" {...{ appUid: app.uid, webhookUid, webhooks }} />],
            ['Entities', entities.join(', ')],
            [
              'Tenants',
              externalTenantIds === null ? (
                'all'
              ) : (
                <Line key="tenants" text={externalTenantIds.join(', ')} />
              ),
            ],
            ['Rate', `at most ${perSecond} per second`],
            ['Started', <When key="created" at={createdAt} />],
          ]}
        />
      </Section>
    </>
  );
}

function isBeginning({ finishedAt, releasedCount }: SyncDetail): boolean {
  return finishedAt === null && releasedCount === 0;
}

function Reached({ sync }: { sync: SyncDetail }) {
  const { finishedAt } = sync;
  if (finishedAt !== null) {
    return (
      <>
        Ended <AtTime at={finishedAt} />. Deliveries: {describeOutcomes(sync)}
      </>
    );
  }
  if (sync.state === 'waiting') return waitingNote;
  return isBeginning(sync)
    ? 'It waits 15 seconds for changes that are being written, so that it misses none of them.'
    : 'Resources that change meanwhile are sent as usual.';
}
