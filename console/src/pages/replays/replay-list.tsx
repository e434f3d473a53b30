import type { Replay, Webhook } from '@agent-herald/client';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useApp } from '../../api/app.tsx';
import { useKnownWebhooks } from '../../api/webhooks.ts';
import { type Column, DataTable } from '../../parts/data-table.tsx';
import { ChoiceFilter, Filters } from '../../parts/filters.tsx';
import { AnchorLink, ButtonLink } from '../../parts/links.tsx';
import { List, useList } from '../../parts/list.tsx';
import { Empty, Page } from '../../parts/page.tsx';
import { Tag } from '../../parts/state-badge.tsx';
import { webhookChoices } from '../../parts/webhook-choices.ts';
import { When } from '../../parts/when.tsx';
import { WebhookName } from '../deliveries/delivery-columns.tsx';
import { SyncList } from '../syncs/sync-list.tsx';
import { replayColors } from './replay-colors.ts';

const refreshMs = 5_000;

/** The replays of the application, or of one webhook. */
export function ReplayList() {
  const { app, calls, key, mayChange } = useApp();
  const { webhookUid } = useSearch({ from: '/signed-in/apps/$appUid/replays' });
  const webhooks = useKnownWebhooks();
  const navigate = useNavigate();
  const list = useList({
    key: [...key, 'replays', { webhookUid }],
    list: (paging, options) =>
      webhookUid === undefined
        ? calls.replays.list(paging, options)
        : calls.webhookReplays.list(webhookUid, paging, options),
    refreshMs,
  });
  const start = mayChange && (
    <ButtonLink
      to="/apps/$appUid/replays/new"
      params={{ appUid: app.uid }}
      search={webhookUid === undefined ? {} : { webhookUid }}
    >
      Start a replay
    </ButtonLink>
  );
  return (
    <Page title="Replays" about="Failed deliveries of a period, sent again." actions={start}>
      <Filters>
        <ChoiceFilter name="webhookUid" label="Webhook" choices={webhookChoices(webhooks)} />
      </Filters>
      <List
        of={list}
        hasFilters
        empty={
          <Empty title="No replays yet" action={start}>
            After an outage, a replay sends the failed deliveries at a rate that your receivers can
            handle.
          </Empty>
        }
      >
        {(rows) => (
          <DataTable
            label="Replays"
            columns={columnsFor(app.uid, webhooks)}
            rows={rows}
            keyOf={({ uid }) => uid}
            onOpen={({ uid: replayUid }) =>
              void navigate({
                to: '/apps/$appUid/replays/$replayUid',
                params: { appUid: app.uid, replayUid },
              })
            }
          />
        )}
      </List>
      <SyncList webhookUid={webhookUid} />
    </Page>
  );
}

function columnsFor(appUid: string, webhooks: readonly Webhook[]): Column<Replay>[] {
  return [
    {
      label: 'Period',
      cell: ({ uid: replayUid, since, until }) => (
        <AnchorLink to="/apps/$appUid/replays/$replayUid" params={{ appUid, replayUid }}>
          <When at={since} /> – <When at={until} />
        </AnchorLink>
      ),
    },
    {
      label: 'To',
      cell: ({ webhookUid, webhookCount }) =>
        webhookUid === null ? (
          `${webhookCount} webhooks`
        ) : (
          <WebhookName {...{ appUid, webhookUid, webhooks }} />
        ),
    },
    { label: 'State', cell: ({ state }) => <Tag color={replayColors[state]}>{state}</Tag> },
    { label: 'Queued', cell: ({ releasedCount }) => releasedCount.toLocaleString('en') },
    { label: 'Started', cell: ({ createdAt }) => <When at={createdAt} /> },
  ];
}
