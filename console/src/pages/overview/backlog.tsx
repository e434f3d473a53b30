import type { Backlog as BacklogCounts, DeliveryState, OpenDeliveries } from '@agent-herald/client';
import { Card, Group, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useApp } from '../../api/app.tsx';
import { useSettings } from '../../api/settings.ts';
import { durationWords } from '../../parts/duration-words.ts';
import { AnchorLink } from '../../parts/links.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { Line } from '../../parts/untrusted.tsx';
import { When } from '../../parts/when.tsx';
import { Figure, Figures } from '../../statistics/figure.tsx';
import { formatCapped } from '../../statistics/outcomes.ts';

const refreshMs = 5_000;

const open = [
  { state: 'pending', label: 'Pending', about: 'Queued, or waiting for ordering or a rate limit' },
  { state: 'retrying', label: 'Retrying', about: 'Waiting for the next attempt' },
  { state: 'held', label: 'Held', about: 'Waiting for a resume' },
] as const;

/** The deliveries that have not been made yet. */
export function Backlog() {
  const { calls, key } = useApp();
  const backlog = useQuery({
    queryKey: [...key, 'stats', 'backlog'],
    queryFn: ({ signal }) => calls.stats.backlog({ signal }),
    refetchInterval: refreshMs,
  });
  return (
    <Card withBorder padding="lg" component="section" aria-label="Backlog">
      <Group justify="space-between" mb="xs">
        <Title order={2} size="h4">
          Backlog
        </Title>
        <Text size="sm" c="dimmed">
          Deliveries still to be made
        </Text>
      </Group>
      <Loaded query={backlog}>
        {(loaded) => (
          <>
            <OverdueFiles of={loaded.overdueFiles} />
            <Figures>
              {open.map(({ state, label, about }) => (
                <Figure
                  key={state}
                  label={label}
                  value={formatCapped(loaded[state])}
                  about={
                    <>
                      {about}
                      {loaded[state].count > 0 && <Oldest of={loaded[state]} state={state} />}
                    </>
                  }
                />
              ))}
              <Figure
                label="Not dispatched"
                value={formatCapped(loaded.undispatched)}
                about="Events waiting for a worker. If this stays above zero, the service is behind or down"
              />
            </Figures>
          </>
        )}
      </Loaded>
    </Card>
  );
}

/** Says that the ingestion of some files may have stopped. */
function OverdueFiles({ of: { oldest, ...counted } }: { of: BacklogCounts['overdueFiles'] }) {
  const { app } = useApp();
  const settings = useSettings();
  if (oldest === null || settings === null) return null;
  const noun = counted.count === 1 ? 'file has' : 'files have';
  return (
    <Text size="sm" mb="md" role="note">
      {`${formatCapped(counted)} ${noun} been processing for more than ${durationWords(settings.processingOverdueAfter)}. The oldest, `}
      <AnchorLink
        to="/apps/$appUid/events"
        params={{ appUid: app.uid }}
        search={{ resourceUid: oldest.uid }}
        inherit
      >
        <Line text={oldest.fileName} />
      </AnchorLink>
      , since <When at={oldest.processingSince} />.
    </Text>
  );
}

function Oldest({ of: { oldestAt }, state }: { of: OpenDeliveries; state: DeliveryState }) {
  const { app } = useApp();
  return (
    <>
      <div>
        Oldest: <When at={oldestAt} />
      </div>
      <div>
        <AnchorLink
          size="xs"
          to="/apps/$appUid/deliveries"
          params={{ appUid: app.uid }}
          search={{ state }}
        >
          {`See ${state} deliveries`}
        </AnchorLink>
      </div>
    </>
  );
}
