import type { Sync, Webhook } from '@agent-herald/client';
import { useApp } from '../../api/app.tsx';
import { useKnownWebhooks } from '../../api/webhooks.ts';
import { type Column, DataTable } from '../../parts/data-table.tsx';
import { AnchorLink } from '../../parts/links.tsx';
import { List, useList } from '../../parts/list.tsx';
import { Empty } from '../../parts/page.tsx';
import { Section } from '../../parts/section.tsx';
import { Tag } from '../../parts/state-badge.tsx';
import { When } from '../../parts/when.tsx';
import { WebhookName } from '../deliveries/delivery-columns.tsx';
import { replayColors } from '../replays/replay-colors.ts';

const refreshMs = 5_000;

/** The syncs of the application, or of one webhook. */
export function SyncList({ webhookUid }: { webhookUid: string | undefined }) {
  const { app, calls, key } = useApp();
  const webhooks = useKnownWebhooks();
  const filter = webhookUid === undefined ? {} : { webhookUid };
  const list = useList({
    key: [...key, 'syncs', filter],
    list: (paging, options) => calls.syncs.list({ ...paging, ...filter }, options),
    refreshMs,
  });
  return (
    <Section title="Syncs">
      <List
        of={list}
        hasFilters
        empty={
          <Empty title="No syncs yet">
            A sync sends the present state of all resources to a webhook, for example to a new
            receiver. Start one on the page of the webhook, under More.
          </Empty>
        }
      >
        {(rows) => (
          <DataTable
            label="Syncs"
            columns={columnsFor(app.uid, webhooks)}
            rows={rows}
            keyOf={({ uid }) => uid}
          />
        )}
      </List>
    </Section>
  );
}

function columnsFor(appUid: string, webhooks: readonly Webhook[]): Column<Sync>[] {
  return [
    {
      label: 'Started',
      cell: ({ uid: syncUid, createdAt }) => (
        <AnchorLink to="/apps/$appUid/syncs/$syncUid" params={{ appUid, syncUid }}>
          <When at={createdAt} />
        </AnchorLink>
      ),
    },
    {
      label: 'To',
      cell: ({ webhookUid }) => <WebhookName {...{ appUid, webhooks, webhookUid }} />,
    },
    { label: 'State', cell: ({ state }) => <Tag color={replayColors[state]}>{state}</Tag> },
    { label: 'Queued', cell: ({ releasedCount }) => releasedCount.toLocaleString('en') },
  ];
}
