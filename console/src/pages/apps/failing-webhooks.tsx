import type { App, FailingWebhook } from '@agent-herald/client';
import { Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { admin } from '../../api/client.ts';
import { webhookLabel } from '../../api/webhooks.ts';
import { type Column, DataTable } from '../../parts/data-table.tsx';
import { AnchorLink } from '../../parts/links.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { Section } from '../../parts/section.tsx';
import { Tag } from '../../parts/state-badge.tsx';
import { Line } from '../../parts/untrusted.tsx';
import { When } from '../../parts/when.tsx';
import { stateOf } from '../webhooks/webhook-state.ts';

const refreshMs = 30_000;
const shownMax = 100;

/** The failing webhooks of all applications, for superusers. */
export function FailingWebhooks({ apps }: { apps: readonly App[] }) {
  const failing = useQuery({
    queryKey: ['failing-webhooks'],
    queryFn: ({ signal }) => admin.stats.failingWebhooks({ limit: shownMax }, { signal }).page(),
    refetchInterval: refreshMs,
  });
  return (
    <Section title="Failing webhooks">
      <Loaded query={failing}>
        {({ data }) =>
          data.length === 0 ? (
            <Text c="dimmed">No webhook is failing in any application.</Text>
          ) : (
            <DataTable
              label="Failing webhooks"
              columns={columnsFor(apps)}
              rows={data}
              keyOf={({ webhookUid }) => webhookUid}
            />
          )
        }
      </Loaded>
    </Section>
  );
}

function columnsFor(apps: readonly App[]): Column<FailingWebhook>[] {
  const names = new Map(apps.map(({ uid, name }) => [uid, name]));
  return [
    {
      label: 'Webhook',
      cell: ({ appUid, webhookUid, name, urlOrigin }) => (
        <AnchorLink
          to="/apps/$appUid/webhooks/$webhookUid"
          params={{ appUid, webhookUid }}
          fw={600}
        >
          <Line text={webhookLabel({ name, url: urlOrigin, uid: webhookUid })} />
        </AnchorLink>
      ),
    },
    { label: 'Application', cell: ({ appUid }) => <Line text={names.get(appUid) ?? appUid} /> },
    { label: 'Receiver', cell: ({ urlOrigin }) => <Line text={urlOrigin} /> },
    {
      label: 'State',
      cell: ({ active, failingSince }) => {
        // The page of the webhook explains why it is paused.
        const { name, color } = stateOf({ active, failingSince, disabledReason: null });
        return <Tag color={color}>{name}</Tag>;
      },
    },
    { label: 'Failing since', cell: ({ failingSince }) => <When at={failingSince} /> },
  ];
}
