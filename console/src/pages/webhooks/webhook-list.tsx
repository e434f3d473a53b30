import type { Webhook, WebhookCounts, WebhookFailure } from '@agent-herald/client';
import { Group, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useApp } from '../../api/app.tsx';
import { type Column, DataTable } from '../../parts/data-table.tsx';
import { messageOf } from '../../parts/fault.tsx';
import { ChoiceFilter, Filters, TextFilter } from '../../parts/filters.tsx';
import { AnchorLink, ButtonLink } from '../../parts/links.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { Empty, Page } from '../../parts/page.tsx';
import { Tag } from '../../parts/state-badge.tsx';
import { Line } from '../../parts/untrusted.tsx';
import { matchingWebhooks } from '../../parts/matching-webhooks.ts';
import { AtTime, When } from '../../parts/when.tsx';
import { formatHeld, formatMs, formatShare, successShare } from '../../statistics/outcomes.ts';
import { ChallengeSwitch } from './challenge-switch.tsx';
import { healthRange } from './health-range.ts';
import { OutcomeTrail } from './outcome-trail.tsx';
import { trailGroups } from './trail-groups.ts';
import { useWebhooks, webhookLabel } from '../../api/webhooks.ts';
import { useFailures } from './use-failures.ts';
import { whatFailed } from './what-failed.ts';
import { stateOf, webhookStates } from './webhook-state.ts';

const refreshMs = 180_000;

/** All webhooks of the application, with their health. */
export function WebhookList() {
  const { app, mayChange } = useApp();
  const webhooks = useWebhooks();
  const create = mayChange && (
    <ButtonLink to="/apps/$appUid/webhooks/new" params={{ appUid: app.uid }}>
      Create webhook
    </ButtonLink>
  );
  return (
    <Page
      title="Webhooks"
      about="Endpoints that receive your events, and their health."
      actions={create}
    >
      <Loaded query={webhooks}>
        {(all) =>
          all.length === 0 ? (
            <Empty title="No webhooks yet" action={create}>
              A webhook sends your events to your endpoint as signed requests.
            </Empty>
          ) : (
            <>
              <Filters>
                <ChoiceFilter name="state" label="State" choices={webhookStates} />
                <TextFilter name="text" label="Name, URL or host" />
              </Filters>
              <WebhookTable all={all} />
            </>
          )
        }
      </Loaded>
      <ChallengeSwitch />
    </Page>
  );
}

function WebhookTable({ all }: { all: readonly Webhook[] }) {
  const { app, calls, key } = useApp();
  const { state, text } = useSearch({ from: '/signed-in/apps/$appUid/webhooks' });
  const navigate = useNavigate();
  const { label } = healthRange(all.length, new Date());
  const { data: statistics, error } = useQuery({
    queryKey: [...key, 'stats', 'webhooks', label],
    queryFn: ({ signal }) =>
      calls.stats.webhooks(healthRange(all.length, new Date()).query, { signal }),
    staleTime: refreshMs,
    refetchInterval: refreshMs,
  });
  const failures = useFailures(all).data?.failures ?? [];
  const found = text === undefined ? all : matchingWebhooks(all, text);
  const rows = found.filter((webhook) => state === undefined || stateOf(webhook).name === state);
  if (rows.length === 0)
    return <Empty title="No webhooks match">Clear the filters to see all webhooks.</Empty>;
  const counts = statistics?.webhooks.map((one) => [one.webhookUid, one] as const);
  return (
    <>
      {error !== null && (
        <Text size="sm" role="alert" c="var(--mantine-color-error)">
          Statistics are unavailable: {messageOf(error)}
        </Text>
      )}
      <DataTable
        label="Webhooks"
        columns={columnsFor(app.uid, {
          counts: new Map(counts),
          range: label,
          groups: trailGroups(rows.map(({ uid }) => uid)),
          failures: new Map(failures.map((one) => [one.webhookUid, one])),
        })}
        rows={rows}
        keyOf={({ uid }) => uid}
        onOpen={({ uid: webhookUid }) =>
          void navigate({
            to: '/apps/$appUid/webhooks/$webhookUid',
            params: { appUid: app.uid, webhookUid },
          })
        }
      />
    </>
  );
}

function columnsFor(
  appUid: string,
  {
    counts,
    range,
    groups,
    failures,
  }: {
    counts: ReadonlyMap<string, WebhookCounts>;
    range: string;
    groups: ReturnType<typeof trailGroups>;
    failures: ReadonlyMap<string, WebhookFailure>;
  },
): Column<Webhook>[] {
  return [
    {
      label: 'Webhook',
      cell: (webhook) => (
        <Stack gap={0}>
          <AnchorLink
            to="/apps/$appUid/webhooks/$webhookUid"
            params={{ appUid, webhookUid: webhook.uid }}
            fw={600}
          >
            <Line text={webhookLabel(webhook)} />
          </AnchorLink>
          {webhook.name !== null && (
            <Text size="sm" c="dimmed">
              <Line text={webhook.url} />
            </Text>
          )}
        </Stack>
      ),
    },
    {
      label: 'State',
      cell: (webhook) => <State webhook={webhook} failure={failures.get(webhook.uid)} />,
    },
    {
      label: 'Events',
      cell: ({ kind, events, entities }) => (
        <Line text={(events ?? (kind === 'operations' ? ['operations'] : entities)).join(', ')} />
      ),
    },
    {
      label: `Success, ${range}`,
      cell: ({ uid }) =>
        formatShare(successShare(counts.get(uid) ?? { attempts: 0, delivered: 0 })),
    },
    { label: `p95, ${range}`, cell: ({ uid }) => formatMs(counts.get(uid)?.attemptMs?.p95) },
    {
      label: 'Latest outcomes',
      cell: ({ uid }) => <OutcomeTrail uid={uid} group={groups.get(uid) ?? [uid]} />,
    },
    { label: 'Last attempt', cell: ({ lastTriggeredAt }) => <When at={lastTriggeredAt} /> },
  ];
}

interface StateProps {
  webhook: Webhook;
  failure: WebhookFailure | undefined;
}

function State({ webhook, failure }: StateProps) {
  const { name, color } = stateOf(webhook);
  const { heldCount, failingSince, deactivatesAt, warnings } = webhook;
  return (
    <Stack gap={4}>
      <Group gap={6}>
        <Tag color={color}>{name}</Tag>
        {heldCount > 0 && <Tag color="grape">{`${formatHeld(heldCount)} held`}</Tag>}
        {warnings.map(({ code }) => (
          <Tag key={code} color="yellow">
            {code.replaceAll('_', ' ')}
          </Tag>
        ))}
      </Group>
      {failure !== undefined && failure.latest !== null && (
        <Text size="xs">{whatFailed(failure.latest, webhook).title}</Text>
      )}
      {failingSince !== null && (
        <Text size="xs">
          since <When at={failingSince} />
          {deactivatesAt !== null && (
            <>
              ; will be deactivated <AtTime at={deactivatesAt} />
            </>
          )}
        </Text>
      )}
    </Stack>
  );
}
