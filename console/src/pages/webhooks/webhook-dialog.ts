import type { Webhook } from '@agent-herald/client';
import type { DialogState } from '../../parts/use-dialog.tsx';

/** What each dialog of a webhook gets. */
export interface WebhookDialogProps extends DialogState {
  webhook: Webhook;
}
