// What the audit log says of a webhook.
import type { AuditEntry } from '../../lib/model/audit-log.ts';
import type { WebhookDocument } from '../../lib/model/webhook.ts';
import type { ChangeWebhookBody } from './webhook-fields.ts';

/** Makes the row of something done to a webhook. */
export function webhookEntry(
  { _id, appUid }: Pick<WebhookDocument, '_id' | 'appUid'>,
  action: `webhook.${string}`,
  details: Record<string, unknown> = {},
): AuditEntry {
  return { appUid, action, target: { kind: 'webhook', uid: _id }, details };
}

/**
 * Gives what a body sets, for the row: the URL as its origin only, because paths and queries of
 * receivers often hold a secret of theirs, and the tenants as their number.
 */
export function webhookDetails({
  url,
  externalTenantIds,
  ...plain
}: ChangeWebhookBody): Record<string, unknown> {
  return {
    ...plain,
    ...(url === undefined ? {} : { urlOrigin: new URL(url).origin }),
    ...(externalTenantIds === undefined ? {} : { tenantCount: externalTenantIds?.length ?? null }),
  };
}
