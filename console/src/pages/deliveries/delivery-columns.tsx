import type { Delivery, Webhook } from '@agent-herald/client';
import { Stack, Text } from '@mantine/core';
import { webhookLabel } from '../../api/webhooks.ts';
import type { Column } from '../../parts/data-table.tsx';
import { formatDuration } from '../../parts/format-time.ts';
import { AnchorLink } from '../../parts/links.tsx';
import { StateBadge } from '../../parts/state-badge.tsx';
import { Uid } from '../../parts/uid.tsx';
import { Line } from '../../parts/untrusted.tsx';
import { useNow } from '../../parts/use-now.ts';
import { UtcTime, When } from '../../parts/when.tsx';

/** Returns the key of a delivery in a list. */
export function keyOfDelivery({ eventId, webhookUid }: Pick<Delivery, 'eventId' | 'webhookUid'>) {
  return `${eventId}/${webhookUid}`;
}

/** Returns the outcome of the last attempt: a status or a class of error. */
function lastOutcome({ attempts, attemptCount }: Delivery): string {
  const last = attempts.at(-1);
  if (last === undefined) return '';
  const outcome = String(last.status ?? last.errorClass);
  return attemptCount === 1 ? outcome : `${outcome}, ${attemptCount} attempts`;
}

/** The name of a webhook, with a link unless it was deleted. */
export function WebhookName(props: {
  appUid: string;
  webhookUid: string;
  webhooks: readonly Webhook[];
  tab?: 'settings';
}) {
  const { appUid, webhookUid, webhooks, tab } = props;
  const webhook = webhooks.find(({ uid }) => uid === webhookUid);
  if (webhook === undefined) return <Uid value={webhookUid} />;
  return (
    <AnchorLink
      to="/apps/$appUid/webhooks/$webhookUid"
      params={{ appUid, webhookUid }}
      search={tab === undefined ? {} : { tab }}
      size="sm"
    >
      <Line text={webhookLabel(webhook)} />
    </AnchorLink>
  );
}

interface ColumnFacts {
  appUid: string;
  webhooks: readonly Webhook[];
}

/** The columns of a list of deliveries. */
export function deliveryColumns({ appUid, webhooks }: ColumnFacts): Column<Delivery>[] {
  return [
    {
      label: 'Event',
      cell: ({ event, eventId, webhookUid }) => (
        <Stack gap={0} align="flex-start">
          <AnchorLink
            to="/apps/$appUid/deliveries/$eventId/$webhookUid"
            params={{ appUid, eventId, webhookUid }}
            fw={600}
            inherit
            style={{ whiteSpace: 'nowrap' }}
          >
            {event}
          </AnchorLink>
          <Text span size="sm" lh="inherit" c="dimmed" style={{ whiteSpace: 'nowrap' }}>
            <Uid value={eventId} />
          </Text>
        </Stack>
      ),
    },
    {
      label: 'Webhook',
      cell: ({ webhookUid }) => <WebhookName {...{ appUid, webhookUid, webhooks }} />,
    },
    { label: 'Tenant', cell: ({ externalTenantId }) => <Line text={externalTenantId} /> },
    { label: 'State', cell: ({ state }) => <StateBadge state={state} /> },
    { label: 'Last response', cell: lastOutcome },
    { label: 'Next attempt', cell: ({ nextAttemptAt: at }) => at && <Countdown at={at} /> },
    { label: 'Created', cell: ({ createdAt }) => <When at={createdAt} /> },
  ];
}

/** The remaining time in its largest units, counting down. */
function Countdown({ at }: { at: string }) {
  const seconds = Math.floor((Date.parse(at) - useNow().getTime()) / 1_000);
  return <UtcTime at={at}>{seconds < 1 ? 'now' : `in ${formatDuration(seconds * 1_000)}`}</UtcTime>;
}
