import type { Webhook } from '@agent-herald/client';
import type { DialogState } from '../../parts/use-dialog.tsx';

/** The properties of each dialog of a webhook. */
export interface WebhookDialogProps extends DialogState {
  webhook: Webhook;
}
