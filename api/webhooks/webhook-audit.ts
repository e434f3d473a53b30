import { formatSchedule } from '../../lib/webhooks/retry-schedule.ts';
import { countCharacters } from '../../lib/platform/count-characters.ts';
import type { AuditEntry } from '../../lib/model/audit-log.ts';
import type { StoredWebhook, WebhookDocument } from '../../lib/model/webhook.ts';
import { originOf } from '../../lib/model/url-origin.ts';
import type { ChangeWebhookBody, WrittenFields } from './webhook-fields.ts';

export function webhookEntry(
  { _id, appUid }: Pick<WebhookDocument, '_id' | 'appUid'>,
  action: `webhook.${string}`,
  details: Record<string, unknown> = {},
): AuditEntry {
  return { appUid, action, target: { kind: 'webhook', uid: _id }, details };
}

/** Returns the fields that a body sets, without secrets and long texts. Of the URL, only the origin is kept. */
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
    ...(description === undefined ? {} : { descriptionCharacters: lengthOf(description) }),
    ...(metadata === undefined ? {} : { metadataKeys: keysOf(metadata) }),
    ...(url === undefined ? {} : { urlOrigin: originOf(url) }),
    ...(filter === undefined ? {} : { filterPaths: keysOf(filter) }),
    ...(externalTenantIds === undefined ? {} : { tenantCount: externalTenantIds?.length ?? null }),
  };
}

/** Returns whether the caller brought the secret, which itself is not recorded. */
export function secretDetails(given: string | undefined): AuditEntry['details'] {
  return given === undefined ? {} : { secretGiven: true };
}

/** Returns the previous values of the fields that a body sets, under the names of `webhookDetails`. */
export function previousDetails(
  body: ChangeWebhookBody,
  before: StoredWebhook,
): AuditEntry['details'] {
  const { headers, auth, tls, description, metadata, filter, externalTenantIds } = before;
  const { retryScheduleMs } = before;
  const shown: Record<keyof ChangeWebhookBody, Record<string, unknown>> = {
    headers: { headerNames: headers?.names ?? null },
    auth: { authType: auth?.type ?? null },
    tls: { tlsFingerprint256: tls?.fingerprint256 ?? null },
    description: { descriptionCharacters: lengthOf(description) },
    metadata: { metadataKeys: keysOf(metadata) },
    url: { urlOrigin: originOf(before.url) },
    filter: { filterPaths: filter?.map(({ path }) => path) ?? null },
    externalTenantIds: { tenantCount: externalTenantIds?.length ?? null },
    retrySchedule: {
      retrySchedule: retryScheduleMs === null ? null : formatSchedule(retryScheduleMs),
    },
    name: { name: before.name },
    entities: { entities: before.entities },
    events: { events: before.events },
    ordering: { ordering: before.ordering },
    signatures: { signatures: before.signatures },
    ratePerSecond: { ratePerSecond: before.ratePerSecond },
    ratePerSecondPerTenant: { ratePerSecondPerTenant: before.ratePerSecondPerTenant },
    cloudEvents: { cloudEvents: before.cloudEvents },
    active: { active: before.active },
    // It acts once and is not stored.
    onResume: {},
  };
  const named = Object.keys(body) as (keyof ChangeWebhookBody)[];
  return Object.assign({}, ...named.map((field) => shown[field])) as AuditEntry['details'];
}

function lengthOf(text: string | null): number | null {
  return text === null ? null : countCharacters(text);
}

function keysOf(object: object | null): string[] | null {
  return object === null ? null : Object.keys(object);
}
