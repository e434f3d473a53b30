import type { Webhook } from '@agent-herald/client';
import { RecoverWebhook } from './recover-webhook.tsx';
import { SendTest } from './send-test.tsx';
import type { WebhookDialogProps } from './webhook-dialog.ts';

const dialogs = { test: SendTest, recover: RecoverWebhook };

export interface RepairStep {
  name: keyof typeof dialogs;
  webhook: Webhook;
  /** The webhooks of one cause, to recover all of them. */
  group?: readonly Webhook[];
}

/** The dialog of a step of a repair. */
export function RepairDialog({ name, ...others }: WebhookDialogProps & RepairStep) {
  const Dialog = dialogs[name];
  return <Dialog {...others} />;
}
