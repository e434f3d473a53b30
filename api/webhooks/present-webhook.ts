import type { ClientSession } from 'mongodb';
import { dayMs } from '../../lib/platform/duration.ts';
import { formatSchedule } from '../../lib/webhooks/retry-schedule.ts';
import {
  authTypes,
  type CertificateFacts,
  orderings,
  signatureVersions,
  type StoredWebhook,
  webhookKinds,
} from '../../lib/model/webhook.ts';
import { countHeld } from '../../lib/history/held-counts.ts';
import { findOverlapping } from '../../lib/webhooks/overlap.ts';
import { presentFilter } from './webhook-filter.ts';
import type { ApiContext } from '../context.ts';
import {
  boolean,
  count,
  listOf,
  named,
  objectOf,
  oneOfTexts,
  orNull,
  text,
  textOrNull,
  time,
  timeOrNull,
  countFromOne,
} from '../http/schemas.ts';
import { entities, subscribedEventNames } from '../../lib/model/event-name.ts';

type WebhookView = ReturnType<typeof viewNow> & {
  /** Another webhook that may send the same events to the same URL. */
  twinUid?: string | null;
};

interface WebhookWarning {
  code: string;
  detail: string;
}

/** Returns a webhook as shown to clients, without its secrets (docs/api.md, "Webhooks"). */
export function presentWebhook(webhook: StoredWebhook, view: WebhookView, heldCount: number) {
  const { previousSecret, retryScheduleMs } = webhook;
  const rotates = previousSecret !== null && previousSecret.until > view.now;
  return {
    uid: webhook._id,
    kind: webhook.kind,
    name: webhook.name,
    description: webhook.description,
    metadata: webhook.metadata,
    url: webhook.url,
    entities: webhook.entities,
    events: webhook.events,
    externalTenantIds: webhook.externalTenantIds,
    retrySchedule: retryScheduleMs === null ? null : formatSchedule(retryScheduleMs),
    ordering: webhook.ordering,
    ratePerSecond: webhook.ratePerSecond,
    ratePerSecondPerTenant: webhook.ratePerSecondPerTenant,
    filter: presentFilter(webhook.filter),
    signatures: webhook.signatures,
    cloudEvents: webhook.cloudEvents,
    active: webhook.active,
    headers: webhook.headers?.names ?? null,
    auth: webhook.auth && { type: webhook.auth.type },
    tls: webhook.tls && presentCertificate(webhook.tls),
    disabledReason: webhook.disabledReason,
    ...presentFailing(webhook, view),
    previousSecretExpiresAt: rotates ? previousSecret.until.toISOString() : null,
    heldCount,
    warnings: [...certificateWarnings(webhook, view.now), ...duplicateWarnings(view)],
    createdAt: webhook.createdAt.toISOString(),
    updatedAt: webhook.updatedAt.toISOString(),
    lastTriggeredAt: webhook.lastTriggeredAt?.toISOString() ?? null,
  };
}

function presentFailing(
  { active, failingSince }: StoredWebhook,
  { now, deactivateAfterMs }: WebhookView,
) {
  if (failingSince === null)
    return { failingSince, deactivatesAt: null, deactivationWarning: null };
  const share = (now.getTime() - failingSince.getTime()) / deactivateAfterMs;
  const deactivatesAt = new Date(failingSince.getTime() + deactivateAfterMs).toISOString();
  return {
    failingSince: failingSince.toISOString(),
    deactivatesAt: active ? deactivatesAt : null,
    deactivationWarning: !active || share < 0.5 ? null : share < 0.8 ? 'half' : 'soon',
  };
}

function presentCertificate({ subject, issuer, fingerprint256, notAfter }: CertificateFacts) {
  return { subject, issuer, fingerprint256, notAfter: notAfter.toISOString() };
}

const certificateWarnedMs = 30 * dayMs;

function certificateWarnings({ tls }: StoredWebhook, now: Date): WebhookWarning[] {
  if (tls === null || tls.notAfter.getTime() - now.getTime() > certificateWarnedMs) return [];
  const isOver = tls.notAfter <= now;
  const verb = isOver ? 'expired' : 'expires';
  const detail = `the client certificate ${verb} at ${tls.notAfter.toISOString()}; set a new one in tls`;
  return [{ code: isOver ? 'certificate_expired' : 'certificate_expires', detail }];
}

function duplicateWarnings({ twinUid = null }: WebhookView): WebhookWarning[] {
  if (twinUid === null) return [];
  const detail = `${twinUid} has the same URL; events for both webhooks arrive there twice`;
  return [{ code: 'duplicate_webhook', detail }];
}

export function viewNow(context: ApiContext) {
  return { now: context.clock.now(), deactivateAfterMs: context.config.deactivateAfterMs };
}

/** Returns a webhook as shown to clients, after reading its counts and warnings. */
export async function showWebhook(
  context: ApiContext,
  webhook: StoredWebhook,
  session?: ClientSession,
) {
  const { store } = context;
  const [heldCount, twinUid] = await Promise.all([
    countHeld(store, webhook),
    findOverlapping(store, webhook, session),
  ]);
  return presentWebhook(webhook, { ...viewNow(context), twinUid }, heldCount);
}

const warningSchema = named(
  'WebhookWarning',
  objectOf<WebhookWarning>({
    code: {
      ...text,
      description:
        '`certificate_expires`: the client certificate expires within 30 days. `certificate_expired`: it has expired. `duplicate_webhook`: another webhook has the same URL and events. The list of webhooks does not report duplicates.',
    },
    detail: text,
  }),
);

const certificateSchema = named(
  'ClientCertificate',
  objectOf<ReturnType<typeof presentCertificate>>({
    subject: text,
    issuer: text,
    fingerprint256: text,
    notAfter: time,
  }),
);

const properties = {
  uid: text,
  kind: oneOfTexts(webhookKinds),
  name: textOrNull,
  description: textOrNull,
  metadata: { type: ['object', 'null'], additionalProperties: text },
  url: { ...text, description: 'The URL in its canonical form.' },
  entities: listOf(oneOfTexts(entities)),
  events: {
    ...orNull(listOf(oneOfTexts(subscribedEventNames))),
    description: 'The events. Null means all events.',
  },
  externalTenantIds: {
    ...orNull(listOf(text)),
    description: 'The tenants. Null means all tenants.',
  },
  retrySchedule: {
    ...orNull(listOf(text)),
    description: 'The retry schedule. Null means the default schedule of the service.',
  },
  ordering: oneOfTexts(orderings),
  ratePerSecond: orNull(countFromOne),
  ratePerSecondPerTenant: orNull(countFromOne),
  filter: {
    type: ['object', 'null'],
    description: 'The required values of fields of `data`, by the path of the field.',
  },
  signatures: {
    ...listOf(oneOfTexts(signatureVersions)),
    description: 'The versions of signatures in `webhook-signature`.',
  },
  cloudEvents: boolean,
  active: boolean,
  headers: {
    ...orNull(listOf(text)),
    description: 'The names of the headers. The values are secret.',
  },
  auth: orNull(named('WebhookAuth', objectOf<{ type: string }>({ type: oneOfTexts(authTypes) }))),
  tls: orNull(certificateSchema),
  disabledReason: {
    ...orNull(oneOfTexts(['gone', 'failing'])),
    description:
      'Why the service deactivated the webhook. `gone`: the receiver responded with 410. `failing`: it failed for days. Null if the webhook is not deactivated.',
  },
  failingSince: { ...timeOrNull, description: 'The first failure since the last success.' },
  deactivatesAt: {
    ...timeOrNull,
    description: 'The time when the webhook will be deactivated, unless a delivery succeeds.',
  },
  deactivationWarning: {
    ...orNull(oneOfTexts(['half', 'soon'])),
    description: '`half`: half of the time to `deactivatesAt` has passed. `soon`: 80 % has passed.',
  },
  previousSecretExpiresAt: { ...timeOrNull, description: 'The time when the rotation ends.' },
  heldCount: {
    ...count,
    description:
      'The number of held deliveries, including those that a resume has not released yet. The count is at most 10,000.',
  },
  warnings: listOf(warningSchema),
  createdAt: time,
  updatedAt: time,
  lastTriggeredAt: {
    ...timeOrNull,
    description: 'The time of the latest attempt, accurate to about a second.',
  },
};

type PresentedWebhook = ReturnType<typeof presentWebhook>;

export const webhookSchema = named('Webhook', objectOf<PresentedWebhook>(properties));

export const createdWebhookSchema = named(
  'WebhookWithSecret',
  objectOf<PresentedWebhook & { secret: string }>({
    ...properties,
    secret: {
      ...text,
      description: 'The secret that signs the deliveries. It is shown only once.',
    },
  }),
);
