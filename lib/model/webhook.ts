import {
  type DeliveredEventName,
  type Entity,
  type SubscribedEventName,
  testEventName,
} from './event-name.ts';
import type { SealedSecret } from './sealed-secret.ts';

/** `gone`: the receiver responded 410. */
export type DisabledReason = 'gone' | 'failing';

export const orderings = ['parallel', 'resource'] as const;
export type Ordering = (typeof orderings)[number];

/** `operations` webhooks get only notices, never events of resources. */
export const webhookKinds = ['resources', 'operations'] as const;
export type WebhookKind = (typeof webhookKinds)[number];

/** Versions of `webhook-signature`: by the webhook's secret, and by a key of the application (`v1a`). */
export const signatureVersions = ['v1', 'v1a'] as const;
export type SignatureVersion = (typeof signatureVersions)[number];

/** The latest notice of a webhook since its last success. */
export type Notified = 'failing' | 'deactivation_scheduled' | 'deactivated';

export interface WebhookDocument {
  _id: string;
  appUid: string;
  kind: WebhookKind;
  /** May be `mailto:` with one address for the kind `operations`. */
  url: string;
  /** Empty for the kind `operations`. */
  entities: Entity[];
  /** Null means all; the same for tenants. */
  events: SubscribedEventName[] | null;
  externalTenantIds: string[] | null;
  /** Null for the default schedule. */
  retryScheduleMs: number[] | null;
  ordering: Ordering;
  /** Maximum requests per second; null: only limited by permits. */
  ratePerSecond: number | null;
  /** The same for the events of each tenant. */
  ratePerSecondPerTenant: number | null;
  /** Conditions on the event's `data`, all of which must match. Null: all events. */
  filter: FilterCondition[] | null;
  active: boolean;
  /** Credentials sent to the receiver in addition to the event; null for none. */
  headers: SealedHeaders | null;
  auth: SealedAuth | null;
  tls: SealedTls | null;
  signatures: SignatureVersion[];
  /** Whether the headers of CloudEvents are sent. */
  cloudEvents: boolean;
  secret: SealedSecret;
  previousSecret: PreviousSecret | null;
  disabledReason: DisabledReason | null;
  /** The first failure since the last success; null while the receiver is healthy. */
  failingSince: Date | null;
  /** Since `failingSince`. */
  lastExhaustedAt: Date | null;
  /** Set together with the notice, and only while the webhook is active (ADR 24). */
  notified: Notified | null;
  /** The latest `delivery.exhausted`; the same attempt is not reported twice. */
  exhaustedNotice: ExhaustedNotice | null;
  /** Deliveries exhausted since then; slightly too high after a crash. */
  exhaustedUnreported: number;
  /** The latest release job; it ends earlier ones. */
  releaseUid: string | null;
  /** Deliveries that saw a lower count are dropped. */
  discardCount: number;
  /** The time of the latest discard. */
  discardBefore: Date | null;
  createdAt: Date;
  updatedAt: Date;
}

export interface SealedHeaders {
  names: string[];
  /** JSON of names and values. */
  secret: SealedSecret;
}

export const authTypes = ['basic', 'bearer'] as const;

export interface SealedAuth {
  type: (typeof authTypes)[number];
  secret: SealedSecret;
}

export interface CertificateFacts {
  subject: string;
  issuer: string;
  fingerprint256: string;
  notAfter: Date;
}

export interface SealedTls extends CertificateFacts {
  /** JSON of the certificate and its key. */
  secret: SealedSecret;
}

/** A webhook as stored; deliveries read it without these fields. */
export interface StoredWebhook extends WebhookDocument {
  name: string | null;
  description: string | null;
  metadata: Record<string, string> | null;
  lastTriggeredAt: Date | null;
}

interface ExhaustedNotice {
  at: Date;
  eventId: string;
  attempt: number;
}

export type FilterValue = string | number | boolean | null;

/** The field at `path`, or an element of it, equals the value or one of the values. */
export interface FilterCondition {
  path: string;
  is: FilterValue | FilterValue[];
}

export interface PreviousSecret {
  secret: SealedSecret;
  /** Until then, deliveries are also signed with it. */
  until: Date;
  /** Whether `X-Webhook-Signature`, which holds one signature, already uses the new secret. */
  promoted: boolean;
}

export type KnownWebhook = Pick<WebhookDocument, '_id' | 'active' | 'kind' | 'discardCount'>;

export const knownFields = { active: 1, kind: 1, discardCount: 1 } as const;

/** Returns the waits between the attempts of an event. A test has none: only a person sends the next one. */
export function scheduleOf(
  { retryScheduleMs }: Pick<WebhookDocument, 'retryScheduleMs'>,
  event: DeliveredEventName,
  defaultMs: readonly number[],
): readonly number[] {
  return event === testEventName ? [] : (retryScheduleMs ?? defaultMs);
}

/** The projection to `FilteredSubscription`: the rest of a webhook, such as a certificate, may be long. */
export const subscriptionFields = {
  kind: 1,
  entities: 1,
  events: 1,
  externalTenantIds: 1,
  filter: 1,
} as const;

export type FilteredSubscription = Subscription & Pick<WebhookDocument, 'filter'>;

export type Subscription = Pick<
  WebhookDocument,
  '_id' | 'kind' | 'entities' | 'events' | 'externalTenantIds'
>;
