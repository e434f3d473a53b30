import { Box, Group } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useApp } from '../../api/app.tsx';
import { colorOf, type Outcome, trailText } from '../../statistics/outcomes.ts';
import classes from './webhooks.module.css';

const refreshMs = 10_000;

/** The latest outcomes of a webhook. All visible webhooks of a group share one call. */
export function OutcomeTrail({ uid, group }: { uid: string; group: readonly string[] }) {
  const { calls, key } = useApp();
  const { data } = useQuery({
    queryKey: [...key, 'stats', 'outcomes', group],
    queryFn: ({ signal }) => calls.stats.outcomes({ webhookUids: group.join(',') }, { signal }),
    staleTime: refreshMs,
    refetchInterval: refreshMs,
  });
  if (data === undefined) return '–';
  return <Bars of={data.webhooks.find(({ webhookUid }) => webhookUid === uid)?.outcomes ?? []} />;
}

function Bars({ of }: { of: readonly Outcome[] }) {
  if (of.length === 0) return trailText(of);
  const text = trailText(of);
  return (
    <Group gap={2} wrap="nowrap" role="img" aria-label={text} title={text}>
      {of.map((outcome, index) => (
        <Box
          // The outcomes have no identity, only an order.
          key={index}
          className={classes['bar'] ?? ''}
          data-failed={outcome !== 'delivered' || undefined}
          bg={colorOf(outcome)}
        />
      ))}
    </Group>
  );
}
