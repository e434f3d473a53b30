import type { Webhook } from '@agent-herald/client';
import { Button, Menu } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { ChevronDown } from 'lucide-react';
import { useApp } from '../../api/app.tsx';
import { Confirm } from '../../parts/confirm.tsx';
import { useChange } from '../../parts/use-change.tsx';
import { useDialog } from '../../parts/use-dialog.tsx';
import { formatHeld } from '../../statistics/outcomes.ts';
import { PauseWebhook, ResumeWebhook } from './pause-webhook.tsx';
import { RecoverWebhook } from './recover-webhook.tsx';
import { SendTest } from './send-test.tsx';
import { SyncWebhook } from './sync-webhook.tsx';
import type { WebhookDialogProps } from './webhook-dialog.ts';

const dialogs = {
  test: SendTest,
  pause: PauseWebhook,
  resume: ResumeWebhook,
  recover: RecoverWebhook,
  sync: SyncWebhook,
  delete: DeleteWebhook,
};

/** The buttons of a webhook, for viewers who may change it. */
export function WebhookActions({ webhook }: { webhook: Webhook }) {
  const dialog = useDialog<keyof typeof dialogs>();
  return (
    <>
      {webhook.active ? (
        <>
          <Button variant="default" onClick={() => dialog.open('test')}>
            Send test event
          </Button>
          <Button variant="default" onClick={() => dialog.open('pause')}>
            Pause
          </Button>
        </>
      ) : (
        <Button variant="default" onClick={() => dialog.open('resume')}>
          Resume
        </Button>
      )}
      <Menu position="bottom-end">
        <Menu.Target>
          <Button variant="default" rightSection={<ChevronDown size={16} />}>
            More
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item onClick={() => dialog.open('recover')}>Recover deliveries</Menu.Item>
          {webhook.kind === 'resources' && (
            <Menu.Item onClick={() => dialog.open('sync')}>Sync the present state</Menu.Item>
          )}
          <Menu.Item color="red" onClick={() => dialog.open('delete')}>
            Delete
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
      {dialog.of((name, state) => {
        const Dialog = dialogs[name];
        return <Dialog webhook={webhook} {...state} />;
      })}
    </>
  );
}

function DeleteWebhook({ webhook, opened, onClose }: WebhookDialogProps) {
  const { app, calls, key } = useApp();
  const navigate = useNavigate();
  const remove = useChange({
    change: async () => {
      await calls.webhooks.delete(webhook.uid);
      // First leave this page, which would request the deleted webhook again.
      await navigate({ to: '/apps/$appUid/webhooks', params: { appUid: app.uid } });
    },
    changes: [[...key, 'webhooks']],
    done: 'Webhook deleted.',
  });
  return (
    <Confirm
      title={`Delete ${webhook.name ?? 'the webhook'}`}
      verb="Delete"
      word="delete"
      opened={opened}
      onClose={onClose}
      change={remove}
    >
      Nothing more is sent to this webhook. Its open deliveries, including{' '}
      {formatHeld(webhook.heldCount)} held, are cancelled. This cannot be undone. To stop it
      temporarily, pause it instead.
    </Confirm>
  );
}
