import type { Webhook } from '@agent-herald/client';
import { Alert, Button, Group, List, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useApp } from '../../api/app.tsx';
import { useSettings } from '../../api/settings.ts';
import { durationWords } from '../../parts/duration-words.ts';
import { Loaded } from '../../parts/loaded.tsx';
import { AnchorLink } from '../../parts/links.tsx';
import { Section } from '../../parts/section.tsx';
import { Line } from '../../parts/untrusted.tsx';
import { useDialog } from '../../parts/use-dialog.tsx';
import { AtTime, When } from '../../parts/when.tsx';
import { Figure, Figures } from '../../statistics/figure.tsx';
import { OutcomeChart } from '../../statistics/outcome-chart.tsx';
import { formatHeld, formatMs, formatShare, successShare } from '../../statistics/outcomes.ts';
import { LatestDeliveries } from './latest-deliveries.tsx';
import { Waiting } from './recover-webhook.tsx';
import { RepairDialog, type RepairStep } from './repair-dialog.tsx';
import { useFailures } from './use-failures.ts';
import { type Advice, adviceFor } from './webhook-advice.ts';
import { WebhookFacts } from './webhook-facts.tsx';
import { whatFailed } from './what-failed.ts';

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
  const { mayChange } = useApp();
  const advice = adviceFor(webhook, durationWords(settings?.retention.held ?? 'a few days'));
  // Rendered even without a problem, so that a test which succeeds does not close its own dialog.
  const dialog = useDialog<RepairStep['name']>();
  return (
    <>
      {advice !== null && <Warning {...{ webhook, advice }} open={dialog.open} />}
      {advice === null && mayChange && webhook.active && (
        <Waiting webhook={webhook} onSend={() => dialog.open('recover')} />
      )}
      {dialog.of((name, state) => (
        <RepairDialog {...{ name, webhook }} {...state} />
      ))}
    </>
  );
}

interface WarningProps {
  webhook: Webhook;
  advice: Advice;
  open: (name: RepairStep['name']) => void;
}

function Warning({ webhook, advice, open }: WarningProps) {
  const { mayChange } = useApp();
  const { active, failingSince, deactivatesAt } = webhook;
  return (
    <Alert color={advice.color} variant="light" title={advice.title} role="status">
      <Stack gap="xs">
        <Reason webhook={webhook} />
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
        {mayChange && (
          <Group gap="xs">
            {active && (
              <Button size="compact-sm" onClick={() => open('test')}>
                Test
              </Button>
            )}
            <Button
              size="compact-sm"
              variant={active ? 'default' : 'filled'}
              onClick={() => open('recover')}
            >
              Recover
            </Button>
          </Group>
        )}
      </Stack>
    </Alert>
  );
}

/** What went wrong at the latest failure, and what to do about it. */
function Reason({ webhook }: { webhook: Webhook }) {
  const { app } = useApp();
  const { data } = useFailures([webhook]);
  const failure = data?.failures.find(({ webhookUid }) => webhookUid === webhook.uid);
  if (failure === undefined || failure.latest === null) return null;
  const { title, remedy } = whatFailed(failure.latest, webhook);
  return (
    <Text size="sm">
      <AnchorLink
        to="/apps/$appUid/deliveries/$eventId/$webhookUid"
        params={{ appUid: app.uid, eventId: failure.latest.eventId, webhookUid: webhook.uid }}
        fw={600}
        c="inherit"
        underline="always"
      >
        {title}
      </AnchorLink>
      . {remedy}
    </Text>
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
            <Section title="Attempts, last 24 hours">
              <OutcomeChart statistics={loaded} />
            </Section>
          </Stack>
        );
      }}
    </Loaded>
  );
}
