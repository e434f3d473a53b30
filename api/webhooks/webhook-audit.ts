import type { AuditEntry } from '../../lib/model/audit-log.ts';
import type { WebhookDocument } from '../../lib/model/webhook.ts';
import { originOf } from '../../lib/model/url-origin.ts';
import type { ChangeWebhookBody, WrittenFields } from './webhook-fields.ts';

export function webhookEntry(
  { _id, appUid }: Pick<WebhookDocument, '_id' | 'appUid'>,
  action: `webhook.${string}`,
  details: Record<string, unknown> = {},
): AuditEntry {
  return { appUid, action, target: { kind: 'webhook', uid: _id }, details };
}

/** Returns what a body sets: of the URL the origin only, as paths and queries often hold a secret; no long texts, no values. */
export function webhookDetails(
  body: ChangeWebhookBody,
  written: WrittenFields,
): AuditEntry['details'] {
  const { url, externalTenantIds, filter, description, metadata, ...others } = body;
  const { headers, auth, tls, ...plain } = others;
  return {
    ...plain,
    ...(headers === undefined ? {} : { headerNames: keysOf(headers) }),
    ...(auth === undefined ? {} : { authType: auth?.type ?? null }),
    ...(tls === undefined ? {} : { tlsFingerprint256: written.tls?.fingerprint256 ?? null }),
    ...(description === undefined ? {} : { descriptionCharacters: description?.length ?? null }),
    ...(metadata === undefined ? {} : { metadataKeys: keysOf(metadata) }),
    ...(url === undefined ? {} : { urlOrigin: originOf(url) }),
    ...(filter === undefined ? {} : { filterPaths: keysOf(filter) }),
    ...(externalTenantIds === undefined ? {} : { tenantCount: externalTenantIds?.length ?? null }),
  };
}

function keysOf(object: object | null): string[] | null {
  return object === null ? null : Object.keys(object);
}
