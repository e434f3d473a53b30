import { List } from '@mantine/core';
import { useApp } from '../../api/app.tsx';
import { useWebhooks } from '../../api/webhooks.ts';
import { formatCount } from '../../statistics/outcomes.ts';
import { WebhookName } from '../deliveries/delivery-columns.tsx';

interface ReplayedWebhooksProps {
  of: readonly { webhookUid: string; count: number }[];
}

/** The number of deliveries for each webhook, and which webhooks hold them. */
export function ReplayedWebhooks({ of }: ReplayedWebhooksProps) {
  const { app } = useApp();
  const { data: webhooks = [] } = useWebhooks();
  const isPaused = (webhookUid: string): boolean =>
    webhooks.some(({ uid, active }) => uid === webhookUid && !active);
  return (
    <List size="sm">
      {of.map(({ webhookUid, count }) => (
        <List.Item key={webhookUid}>
          <WebhookName {...{ appUid: app.uid, webhookUid, webhooks }} />: {formatCount(count)}
          {isPaused(webhookUid) && '. The webhook is paused and holds them until you resume it.'}
        </List.Item>
      ))}
    </List>
  );
}
