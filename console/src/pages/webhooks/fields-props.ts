import type { Webhook } from '@agent-herald/client';
import type { UseFormReturnType } from '@mantine/form';
import type { WebhookValues } from './webhook-values.ts';

export type WebhookForm = UseFormReturnType<WebhookValues>;

/** The properties of each group of fields. `webhook` is null for a new one. */
export interface FieldsProps {
  form: WebhookForm;
  webhook: Webhook | null;
}
