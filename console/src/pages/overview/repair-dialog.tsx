import { ResumeWebhook } from '../webhooks/pause-webhook.tsx';
import { RecoverWebhook } from '../webhooks/recover-webhook.tsx';
import { SendTest } from '../webhooks/send-test.tsx';
import type { WebhookDialogProps } from '../webhooks/webhook-dialog.ts';

const dialogs = { test: SendTest, resume: ResumeWebhook, recover: RecoverWebhook };

export type RepairStep = keyof typeof dialogs;

/** The dialog of a step of a repair. It is loaded when it is opened. */
export function RepairDialog({ step, ...others }: WebhookDialogProps & { step: RepairStep }) {
  const Dialog = dialogs[step];
  return <Dialog {...others} />;
}
