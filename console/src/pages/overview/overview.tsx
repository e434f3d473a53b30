import { Button, Group, SegmentedControl, Stack } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useApp } from '../../api/app.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { Page } from '../../parts/page.tsx';
import { Section } from '../../parts/section.tsx';
import { Figure, Figures } from '../../statistics/figure.tsx';
import { OutcomeChart } from '../../statistics/outcome-chart.tsx';
import { formatMs, formatShare, successShare } from '../../statistics/outcomes.ts';
import { isRange, type RangeName, ranges, sinceOf } from '../../statistics/ranges.ts';
import { Backlog } from './backlog.tsx';
import { FirstSteps } from './first-steps.tsx';
import { NobodyTold } from './nobody-told.tsx';
import { TroubledWebhooks } from './troubled-webhooks.tsx';
import { useWebhooks } from '../../api/webhooks.ts';

const refreshMs = 15_000;
const choices = Object.keys(ranges)
  .filter(isRange)
  .map((value) => ({ value, label: ranges[value].label }));

/** The health of the application's deliveries, and current problems. */
export function Overview() {
  const { app } = useApp();
  const { range: shown } = useSearch({ from: '/signed-in/apps/$appUid/' });
  const range = isRange(shown) ? shown : '24h';
  const navigate = useNavigate();
  const webhooks = useWebhooks();
  return (
    <Page
      title="Overview"
      about="Delivery volume, latency and backlog."
      actions={
        <SegmentedControl
          aria-label="Range"
          data={choices}
          value={range}
          onChange={(value) =>
            void navigate({
              to: '/apps/$appUid',
              params: { appUid: app.uid },
              search: { range: value },
            })
          }
        />
      }
    >
      <Loaded query={webhooks}>
        {(loaded) => {
          const numbers = (
            <Stack gap="lg">
              <TroubledWebhooks webhooks={loaded} />
              <NobodyTold webhooks={loaded} />
              <Backlog />
              <Deliveries range={range} />
            </Stack>
          );
          return loaded.length > 0 ? numbers : <WithoutWebhooks>{numbers}</WithoutWebhooks>;
        }}
      </Loaded>
    </Page>
  );
}

/** The first steps, or the numbers if something was sent before the last webhook was deleted. */
function WithoutWebhooks({ children }: { children: ReactNode }) {
  const { calls, key } = useApp();
  const sent = useQuery({
    queryKey: [...key, 'deliveries', 'any'],
    queryFn: ({ signal }) => calls.deliveries.list({ limit: 1 }, { signal }).page(),
  });
  return (
    <Loaded query={sent}>{({ data }) => (data.length === 0 ? <FirstSteps /> : children)}</Loaded>
  );
}

function Deliveries({ range }: { range: RangeName }) {
  const { calls, key } = useApp();
  const { interval, period } = ranges[range];
  const [isTable, { toggle }] = useDisclosure();
  const statistics = useQuery({
    queryKey: [...key, 'stats', 'deliveries', range],
    queryFn: ({ signal }) =>
      calls.stats.deliveries({ interval, since: sinceOf(range, new Date()) }, { signal }),
    refetchInterval: refreshMs,
    placeholderData: (before) => before,
  });
  return (
    <Loaded query={statistics}>
      {(loaded) => {
        const { totals } = loaded;
        const { changeToReceiptMs: receipt, attemptMs } = totals;
        const title = `Attempts, ${period}`;
        return (
          <Stack
            gap="lg"
            aria-busy={statistics.isPlaceholderData}
            opacity={statistics.isPlaceholderData ? 0.6 : 1}
          >
            <Figures>
              <Figure
                label="Success rate"
                value={formatShare(successShare(totals))}
                about="Attempts with a 2xx response"
              />
              <Figure
                label="End-to-end latency, p50"
                value={formatMs(receipt?.p50)}
                about="Half of the deliveries are faster"
              />
              <Figure
                label="End-to-end latency, p95"
                value={formatMs(receipt?.p95)}
                about="With retries and pauses"
              />
              <Figure
                label="Attempt duration, p95"
                value={formatMs(attemptMs?.p95)}
                about="Response time of receivers"
              />
            </Figures>
            <Section title={title}>
              <OutcomeChart statistics={loaded} isTable={isTable} />
              <Group justify="flex-end">
                <Button variant="subtle" size="compact-sm" onClick={toggle}>
                  {isTable ? 'Show as a chart' : 'Show as a table'}
                </Button>
              </Group>
            </Section>
          </Stack>
        );
      }}
    </Loaded>
  );
}
