import type { Webhook } from '@agent-herald/client';
import { Alert, Card, List, Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useApp } from '../../api/app.tsx';
import { useSettings } from '../../api/settings.ts';
import { durationWords } from '../../parts/duration-words.ts';
import { Loaded } from '../../parts/loaded.tsx';
import { Line } from '../../parts/untrusted.tsx';
import { AtTime, When } from '../../parts/when.tsx';
import { Figure, Figures } from '../../statistics/figure.tsx';
import { OutcomeChart } from '../../statistics/outcome-chart.tsx';
import { formatHeld, formatMs, formatShare, successShare } from '../../statistics/outcomes.ts';
import { LatestDeliveries } from './latest-deliveries.tsx';
import { adviceFor } from './webhook-advice.ts';
import { WebhookFacts } from './webhook-facts.tsx';

const refreshMs = 15_000;

/** The health of a webhook, and what to do about problems. */
export function WebhookSummary({ webhook }: { webhook: Webhook }) {
  return (
    <Stack gap="lg">
      <Problem webhook={webhook} />
      {webhook.warnings.map(({ code, detail }) => (
        <Alert key={code} color="yellow" variant="light" title="Warning">
          <Line text={detail} />
        </Alert>
      ))}
      <Health webhook={webhook} />
      <LatestDeliveries webhookUid={webhook.uid} />
      <WebhookFacts webhook={webhook} />
    </Stack>
  );
}

function Problem({ webhook }: { webhook: Webhook }) {
  const settings = useSettings();
  const advice = adviceFor(webhook, durationWords(settings?.retention.held ?? 'a few days'));
  if (advice === null) return null;
  const { failingSince, deactivatesAt } = webhook;
  return (
    <Alert color={advice.color} variant="light" title={advice.title} role="status">
      <Stack gap="xs">
        {failingSince !== null && (
          <Text size="sm" fw={600}>
            Every attempt since <When at={failingSince} /> has failed
            {deactivatesAt !== null && (
              <>
                . The webhook will be deactivated <AtTime at={deactivatesAt} /> unless an attempt
                succeeds
              </>
            )}
            .
          </Text>
        )}
        <List size="sm" spacing={4}>
          {advice.steps.map((step) => (
            <List.Item key={step}>{step}</List.Item>
          ))}
        </List>
      </Stack>
    </Alert>
  );
}

function Health({ webhook: { uid, heldCount, lastTriggeredAt } }: { webhook: Webhook }) {
  const { calls, key } = useApp();
  const statistics = useQuery({
    queryKey: [...key, 'stats', 'deliveries', uid],
    queryFn: ({ signal }) =>
      calls.stats.deliveries({ interval: 'hour', webhookUid: uid }, { signal }),
    refetchInterval: refreshMs,
  });
  return (
    <Loaded query={statistics}>
      {(loaded) => {
        const { totals } = loaded;
        return (
          <Stack gap="lg">
            <Figures>
              <Figure
                label="Success rate, last 24 h"
                value={formatShare(successShare(totals))}
                about="Attempts with a 2xx response"
              />
              <Figure
                label="Attempt duration, p95"
                value={formatMs(totals.attemptMs?.p95)}
                about={`p50 ${formatMs(totals.attemptMs?.p50)}`}
              />
              <Figure
                label="End-to-end latency, p95"
                value={formatMs(totals.changeToReceiptMs?.p95)}
                about={`p50 ${formatMs(totals.changeToReceiptMs?.p50)}`}
              />
              <Figure
                label="Held"
                value={formatHeld(heldCount)}
                about={
                  <>
                    Last attempt: <When at={lastTriggeredAt} />
                  </>
                }
              />
            </Figures>
            <Card withBorder padding="lg" component="section" aria-label="Attempts, last 24 hours">
              <Title order={2} size="h4" mb="xs">
                Attempts, last 24 hours
              </Title>
              <OutcomeChart statistics={loaded} />
            </Card>
          </Stack>
        );
      }}
    </Loaded>
  );
}
