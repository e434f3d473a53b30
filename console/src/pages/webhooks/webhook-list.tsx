import type { Webhook } from '@agent-herald/client';
import { Group, Stack, Text } from '@mantine/core';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { type CurrentApp, useApp } from '../../api/app.tsx';
import { type Column, DataTable } from '../../parts/data-table.tsx';
import { ChoiceFilter, Filters } from '../../parts/filters.tsx';
import { AnchorLink, ButtonLink } from '../../parts/links.tsx';
import { List, useList } from '../../parts/list.tsx';
import { Empty, Page } from '../../parts/page.tsx';
import { Tag } from '../../parts/state-badge.tsx';
import { Line } from '../../parts/untrusted.tsx';
import { When } from '../../parts/when.tsx';
import { stateOf, webhookStates } from './webhook-state.ts';

const refreshMs = 10_000;

/** All webhooks of the application, with their health. */
export function WebhookList() {
  const current = useApp();
  const { app, calls, key, mayChange } = current;
  const { state } = useSearch({ from: '/signed-in/apps/$appUid/webhooks' });
  const navigate = useNavigate();
  const list = useList({
    key: [...key, 'webhooks'],
    list: (_paging, options) => calls.webhooks.list(options),
    refreshMs,
  });
  const create = mayChange && (
    <ButtonLink to="/apps/$appUid/webhooks/new" params={{ appUid: app.uid }}>
      Create webhook
    </ButtonLink>
  );
  return (
    <Page title="Webhooks" about="Where events are sent, and how that goes." actions={create}>
      <Filters>
        <ChoiceFilter name="state" label="State" choices={webhookStates} />
      </Filters>
      <List
        of={list}
        empty={
          <Empty title="There are no webhooks yet" action={create}>
            A webhook is an address of yours that gets each event as a signed request.
          </Empty>
        }
      >
        {(rows) => (
          <DataTable
            label="Webhooks"
            columns={columnsFor(current)}
            rows={rows.filter((webhook) => state === undefined || stateOf(webhook).name === state)}
            keyOf={({ uid }) => uid}
            onOpen={({ uid: webhookUid }) =>
              void navigate({
                to: '/apps/$appUid/webhooks/$webhookUid',
                params: { appUid: app.uid, webhookUid },
              })
            }
          />
        )}
      </List>
    </Page>
  );
}

function columnsFor({ app }: CurrentApp): Column<Webhook>[] {
  return [
    {
      label: 'Webhook',
      cell: ({ uid, name, url }) => (
        <Stack gap={0}>
          <AnchorLink
            to="/apps/$appUid/webhooks/$webhookUid"
            params={{ appUid: app.uid, webhookUid: uid }}
            fw={600}
          >
            <Line text={name ?? url} />
          </AnchorLink>
          {name !== null && (
            <Text size="sm" c="dimmed">
              <Line text={url} />
            </Text>
          )}
        </Stack>
      ),
    },
    {
      label: 'State',
      cell: (webhook) => {
        const { name, color } = stateOf(webhook);
        return (
          <Group gap={6}>
            <Tag color={color}>{name}</Tag>
            {webhook.heldCount > 0 && <Tag color="grape">{`${webhook.heldCount} held`}</Tag>}
          </Group>
        );
      },
    },
    {
      label: 'Events',
      cell: ({ events, entities }) => <Line text={(events ?? entities).join(', ')} />,
    },
    { label: 'Last attempt', cell: ({ lastTriggeredAt }) => <When at={lastTriggeredAt} /> },
  ];
}
