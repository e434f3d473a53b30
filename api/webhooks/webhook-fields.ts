import type { ClientSession } from 'mongodb';
import { ScheduleFault, parseSchedule } from '../../lib/webhooks/retry-schedule.ts';
import { durationShape } from '../../lib/platform/duration.ts';
import { AppError } from '../../lib/platform/errors.ts';
import { limits } from '../../lib/limits.ts';
import {
  entities,
  type Entity,
  type SubscribedEventName,
  subscribedEventNames,
} from '../../lib/model/event-name.ts';
import { isMailUrl } from '../../lib/model/url-origin.ts';
import {
  type Ordering,
  orderings,
  signatureVersions,
  type SignatureVersion,
  type StoredWebhook,
  type WebhookKind,
  webhookKinds,
} from '../../lib/model/webhook.ts';
import { checkMailUrl } from '../../lib/egress/mail-url.ts';
import {
  checkWebhookUrl,
  type WebhookUrlCheck,
  webhookUrlCharactersMax,
} from '../../lib/egress/webhook-url.ts';
import { type Store } from '../../lib/mongo/connect.ts';
import { within } from '../../lib/mongo/transaction.ts';
import { described } from '../http/schemas.ts';
import { lineField, tenantField } from '../http/text-fields.ts';
import { checkAll, invalidRequest, validator } from '../http/validate.ts';
import { descriptionField, nameField } from '../resources/resource-fields.ts';
import type { ApiContext } from '../context.ts';
import {
  type CredentialFields,
  credentialProperties,
  sealCredentials,
} from './credential-fields.ts';
import { secretField } from './secret-field.ts';
import { kindText, onResumeText, webhookTexts } from './webhook-texts.ts';
import { acceptFilter, filterField, type WrittenFilter } from './webhook-filter.ts';

export interface CreateWebhookBody extends CredentialFields {
  /** The default is `resources`. */
  kind?: WebhookKind;
  name?: string | null;
  description?: string | null;
  metadata?: Record<string, string> | null;
  url: string;
  /** Required for the kind `resources`. */
  entities?: Entity[];
  events?: SubscribedEventName[] | null;
  externalTenantIds?: string[] | null;
  retrySchedule?: string[] | null;
  ordering?: Ordering;
  ratePerSecond?: number | null;
  filter?: WrittenFilter | null;
  ratePerSecondPerTenant?: number | null;
  signatures?: SignatureVersion[];
  cloudEvents?: boolean;
  active?: boolean;
  secret?: string;
}

export type ChangeWebhookBody = Partial<Omit<CreateWebhookBody, 'kind' | 'secret'>> & {
  onResume?: 'deliver' | 'discard';
};

export const kindField = { type: 'string', enum: [...webhookKinds] };

export const entitiesField = {
  type: 'array',
  minItems: 1,
  maxItems: entities.length,
  uniqueItems: true,
  items: { type: 'string', enum: [...entities] },
};

const rateField = { type: ['integer', 'null'], minimum: 1, maximum: limits.ratePerSecondMax };

const waitField = {
  ...lineField(20),
  published: { format: undefined, pattern: durationShape.source },
};

const properties = {
  name: { ...nameField, type: ['string', 'null'] },
  description: descriptionField,
  metadata: {
    type: ['object', 'null'],
    minProperties: 1,
    maxProperties: limits.metadataKeysMax,
    propertyNames: { maxLength: limits.metadataKeyCharactersMax, format: 'key' },
    additionalProperties: lineField(limits.metadataValueCharactersMax),
  },
  url: { type: 'string', published: { format: 'uri', maxLength: webhookUrlCharactersMax } },
  entities: entitiesField,
  events: {
    type: ['array', 'null'],
    minItems: 1,
    maxItems: subscribedEventNames.length,
    uniqueItems: true,
    items: { type: 'string', enum: [...subscribedEventNames] },
  },
  externalTenantIds: {
    type: ['array', 'null'],
    minItems: 1,
    maxItems: limits.tenantsPerWebhookMax,
    uniqueItems: true,
    items: tenantField,
  },
  retrySchedule: { type: ['array', 'null'], maxItems: limits.retryStepsMax, items: waitField },
  ordering: { type: 'string', enum: [...orderings] },
  ratePerSecond: rateField,
  ratePerSecondPerTenant: rateField,
  filter: filterField,
  signatures: {
    type: 'array',
    minItems: 1,
    maxItems: signatureVersions.length,
    uniqueItems: true,
    items: { type: 'string', enum: [...signatureVersions] },
  },
  cloudEvents: { type: 'boolean' },
  active: { type: 'boolean' },
  ...credentialProperties,
};

export const createWebhookBody = validator<CreateWebhookBody>({
  properties: {
    kind: { ...kindField, description: kindText },
    ...described(properties, webhookTexts),
    secret: secretField,
  },
  required: ['url'],
  if: { required: ['kind'], properties: { kind: { const: 'operations' } } },
  else: { required: ['entities'], properties: { entities: true } },
});

export const changeWebhookBody = validator<ChangeWebhookBody>({
  properties: {
    ...described(properties, webhookTexts),
    onResume: { type: 'string', enum: ['deliver', 'discard'], description: onResumeText },
  },
  published: {
    dependentSchemas: {
      onResume: { required: ['active'], properties: { active: { const: true } } },
    },
  },
});

export type WrittenFields = Partial<
  Pick<
    StoredWebhook,
    'retryScheduleMs' | Exclude<keyof ChangeWebhookBody, 'retrySchedule' | 'onResume'>
  >
>;

/** Returns the fields that a body sets, in stored form. Throws `invalid_webhook_url`, `invalid_request`. */
export function readFields(
  context: ApiContext,
  body: ChangeWebhookBody,
  webhook: Pick<StoredWebhook, '_id' | 'appUid' | 'kind'>,
): WrittenFields {
  const { url, retrySchedule, filter, onResume: _, ...others } = body;
  const { headers: _h, auth: _a, tls: _t, ...plain } = others;
  const checked = checkAll<WrittenFields>([
    () => sealCredentials(context, body, webhook),
    () => (url === undefined ? {} : { url: acceptUrl(context, url, webhook.kind) }),
    () => (retrySchedule === undefined ? {} : { retryScheduleMs: acceptSchedule(retrySchedule) }),
    () => (filter === undefined ? {} : { filter: acceptFilter(filter) }),
  ]);
  return Object.assign(plain, ...checked) as WrittenFields;
}

function acceptUrl(context: ApiContext, url: string, kind: WebhookKind): string {
  const verdict = checkUrl(context, url, kind);
  if (verdict.ok) return verdict.url;
  throw invalidRequest(
    [{ pointer: '#/url', code: urlRefused, detail: verdict.reason }],
    urlRefused,
  );
}

export const urlRefused = 'invalid_webhook_url';

/** Checks whether a webhook of the kind may have the URL. Returns its stored form or the reason. */
export function checkUrl({ config }: ApiContext, url: string, kind: WebhookKind): WebhookUrlCheck {
  return kind === 'operations' && isMailUrl(url)
    ? checkMailUrl(url, config)
    : checkWebhookUrl(url, config.egress);
}

function acceptSchedule(retrySchedule: string[] | null): number[] | null {
  if (retrySchedule === null) return null;
  try {
    return parseSchedule(retrySchedule);
  } catch (error) {
    if (!(error instanceof ScheduleFault)) throw error;
    const pointer = `#/retrySchedule${error.index === null ? '' : `/${error.index}`}`;
    const detail = `retrySchedule: ${error.message}`;
    throw invalidRequest([{ pointer, code: error.code, detail }]);
  }
}

/** Reads the webhook in the path. Throws `not_found`. */
export async function findWebhook(
  store: Store,
  filter: Pick<StoredWebhook, '_id' | 'appUid'>,
  session?: ClientSession,
): Promise<StoredWebhook> {
  const webhook = await store.webhooks.findOne(filter, within(session));
  if (webhook === null) throw noSuchWebhook();
  return webhook;
}

export function noSuchWebhook(): AppError {
  return new AppError('not_found', 'there is no such webhook');
}
