import type { Webhook } from '@agent-herald/client';
import { Group, Tabs } from '@mantine/core';
import { useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { useApp } from '../../api/app.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { Page } from '../../parts/page.tsx';
import { Tag } from '../../parts/state-badge.tsx';
import { Uid } from '../../parts/uid.tsx';
import { Line } from '../../parts/untrusted.tsx';
import { visibleText } from '../../parts/visible-text.ts';
import { formatHeld } from '../../statistics/outcomes.ts';
import { useWebhook } from './use-webhook.ts';
import { WebhookActions } from './webhook-actions.tsx';
import { WebhookSecretTab } from './webhook-secret.tsx';
import { WebhookSettings } from './webhook-settings.tsx';
import { stateOf } from './webhook-state.ts';
import { WebhookSummary } from './webhook-summary.tsx';

/** One webhook: its health and all actions. */
export function WebhookPage() {
  const { webhookUid } = useParams({ from: '/signed-in/apps/$appUid/webhooks/$webhookUid' });
  const query = useWebhook(webhookUid);
  const loaded = <Loaded query={query}>{(webhook) => <LoadedPage webhook={webhook} />}</Loaded>;
  return query.data === undefined ? <Page title="Webhook">{loaded}</Page> : loaded;
}

function LoadedPage({ webhook }: { webhook: Webhook }) {
  const { mayChange } = useApp();
  const { tab = 'overview' } = useSearch({ from: '/signed-in/apps/$appUid/webhooks/$webhookUid' });
  const navigate = useNavigate();
  const { uid, name, url } = webhook;
  const state = stateOf(webhook);
  return (
    <Page
      title={visibleText(name ?? url)}
      about={
        <Group gap="xs">
          <Tag color={state.color}>{state.name}</Tag>
          {webhook.heldCount > 0 && (
            <Tag color="grape">{`${formatHeld(webhook.heldCount)} held`}</Tag>
          )}
          {name !== null && <Line text={url} />}
          <Uid value={uid} />
        </Group>
      }
      actions={mayChange && <WebhookActions webhook={webhook} />}
    >
      <Tabs
        value={tab}
        onChange={(next) =>
          void navigate({
            to: '.',
            search: next === 'overview' || next === null ? {} : { tab: next },
          })
        }
        keepMounted={false}
      >
        <Tabs.List mb="lg">
          <Tabs.Tab value="overview">Overview</Tabs.Tab>
          {mayChange && <Tabs.Tab value="settings">Settings</Tabs.Tab>}
          <Tabs.Tab value="secret">Secret</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="overview">
          <WebhookSummary webhook={webhook} />
        </Tabs.Panel>
        {mayChange && (
          <Tabs.Panel value="settings">
            <WebhookSettings key={uid} webhook={webhook} />
          </Tabs.Panel>
        )}
        <Tabs.Panel value="secret">
          <WebhookSecretTab webhook={webhook} />
        </Tabs.Panel>
      </Tabs>
    </Page>
  );
}
