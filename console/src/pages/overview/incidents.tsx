import type { AuditRow, Webhook } from '@agent-herald/client';
import { Card, Group, Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useApp } from '../../api/app.tsx';
import { webhookLabel } from '../../api/webhooks.ts';
import { AnchorLink } from '../../parts/links.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { Line } from '../../parts/untrusted.tsx';
import { When } from '../../parts/when.tsx';

const refreshMs = 30_000;
const shownCount = 5;
const action = 'webhook.deactivated';

/** The latest automatic deactivations, from the audit log. */
export function Incidents({ webhooks }: { webhooks: readonly Webhook[] }) {
  const { app, calls, key } = useApp();
  const rows = useQuery({
    queryKey: [...key, 'audit-log', 'latest', action],
    queryFn: ({ signal }) => calls.auditLog.list({ action, limit: shownCount }, { signal }).page(),
    refetchInterval: refreshMs,
  });
  return (
    <Card withBorder padding="lg" component="section" aria-label="Latest incidents">
      <Group justify="space-between" mb="xs">
        <Title order={2} size="h4">
          Latest incidents
        </Title>
        <AnchorLink
          size="sm"
          to="/apps/$appUid/audit-log"
          params={{ appUid: app.uid }}
          search={{ action }}
        >
          See all in the audit log
        </AnchorLink>
      </Group>
      <Loaded query={rows}>
        {({ data }) =>
          data.length === 0 ? (
            <Text size="sm" c="dimmed">
              No webhook has been deactivated.
            </Text>
          ) : (
            <Stack gap="xs">
              {data.map((row) => (
                <Incident key={row.uid} row={row} webhooks={webhooks} />
              ))}
            </Stack>
          )
        }
      </Loaded>
    </Card>
  );
}

function Incident({ row, webhooks }: { row: AuditRow; webhooks: readonly Webhook[] }) {
  const { app } = useApp();
  const { at, target, details } = row;
  const webhook = webhooks.find(({ uid }) => uid === target.uid);
  const why =
    details?.['disabledReason'] === 'gone'
      ? 'its receiver responded with 410 Gone'
      : 'all attempts failed for days';
  return (
    <Text size="sm">
      <When at={at} />: the service deactivated{' '}
      {webhook === undefined ? (
        <Line text={target.uid} />
      ) : (
        <AnchorLink
          to="/apps/$appUid/webhooks/$webhookUid"
          params={{ appUid: app.uid, webhookUid: webhook.uid }}
          underline="always"
        >
          <Line text={webhookLabel(webhook)} />
        </AnchorLink>
      )}{' '}
      because {why}.
    </Text>
  );
}
