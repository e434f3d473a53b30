import type { Sync } from '@agent-herald/client';
import { Button, Card, Group, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { useApp } from '../../api/app.tsx';
import { useKnownWebhooks } from '../../api/webhooks.ts';
import { Confirm } from '../../parts/confirm.tsx';
import { Facts } from '../../parts/facts.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { Page } from '../../parts/page.tsx';
import { Section } from '../../parts/section.tsx';
import { Tag } from '../../parts/state-badge.tsx';
import { Uid } from '../../parts/uid.tsx';
import { Line } from '../../parts/untrusted.tsx';
import { useChange } from '../../parts/use-change.tsx';
import { AtTime, When } from '../../parts/when.tsx';
import { WebhookName } from '../deliveries/delivery-columns.tsx';
import { replayColors } from '../replays/replay-colors.ts';
import { WaitingNote } from '../replays/waiting-note.tsx';
import { describeCounts } from './sync-counts.ts';

const refreshMs = 2_000;

/** A sync and its progress. */
export function SyncPage() {
  const { calls, key, mayChange } = useApp();
  const { syncUid } = useParams({ from: '/signed-in/apps/$appUid/syncs/$syncUid' });
  const query = useQuery({
    queryKey: [...key, 'syncs', syncUid],
    queryFn: ({ signal }) => calls.syncs.get(syncUid, { signal }),
    refetchInterval: ({ state }) => (state.data?.finishedAt === null ? refreshMs : false),
  });
  const isRunning = query.data?.finishedAt === null;
  return (
    <Page
      title="Sync"
      about={<Uid value={syncUid} />}
      actions={mayChange && isRunning && <Cancel syncUid={syncUid} />}
    >
      <Loaded query={query}>{(sync) => <Sections sync={sync} />}</Loaded>
    </Page>
  );
}

function Sections({ sync }: { sync: Sync }) {
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
        {sync.state === 'waiting' && <WaitingNote />}
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

function isBeginning({ finishedAt, releasedCount }: Sync): boolean {
  return finishedAt === null && releasedCount === 0;
}

function Reached({ sync }: { sync: Sync }) {
  const { finishedAt } = sync;
  if (finishedAt !== null) {
    return (
      <>
        Ended <AtTime at={finishedAt} />. See Deliveries for the result of each one.
      </>
    );
  }
  return isBeginning(sync)
    ? 'It waits 15 seconds for changes that are being written, so that it misses none of them.'
    : 'Resources that change meanwhile are sent as usual.';
}

function Cancel({ syncUid }: { syncUid: string }) {
  const { calls, key } = useApp();
  const [isOpen, { open, close }] = useDisclosure();
  const cancel = useChange({
    change: () => calls.syncs.cancel(syncUid),
    changes: [[...key, 'syncs']],
    done: 'Sync cancelled.',
    onDone: close,
  });
  return (
    <>
      <Button color="red" variant="light" onClick={open}>
        Cancel sync
      </Button>
      <Confirm
        title="Cancel the sync?"
        verb="Cancel sync"
        opened={isOpen}
        onClose={close}
        change={cancel}
      >
        Deliveries that are already queued are still sent. A new sync starts from the beginning.
      </Confirm>
    </>
  );
}
