import type { Entity, SubscribedEventName } from './event-name.ts';
import type { SealedSecret } from './sealed-secret.ts';

/** `gone`: it answered 410. */
export type DisabledReason = 'gone' | 'failing';

export const orderings = ['parallel', 'resource'] as const;
export type Ordering = (typeof orderings)[number];

/** `operations`: for what the service tells of itself, never for resources. */
export const webhookKinds = ['resources', 'operations'] as const;
export type WebhookKind = (typeof webhookKinds)[number];

/** The latest notice of a webhook since its last success. */
export type Notified = 'failing' | 'deactivation_scheduled' | 'deactivated';

export interface WebhookDocument {
  _id: string;
  appUid: string;
  kind: WebhookKind;
  /** `mailto:` with one address for some of the kind `operations`. */
  url: string;
  /** Empty for the kind `operations`. */
  entities: Entity[];
  /** Null, here and for tenants: all. */
  events: SubscribedEventName[] | null;
  externalTenantIds: string[] | null;
  /** Null for the schedule of the service. */
  retryScheduleMs: number[] | null;
  ordering: Ordering;
  /** Requests at most; null: as many as its permits allow. */
  ratePerSecond: number | null;
  /** On the event's `data`; all must match. Null: all events. */
  filter: FilterCondition[] | null;
  active: boolean;
  /** What is sent to the receiver beside the event; null for nothing. */
  headers: SealedHeaders | null;
  auth: SealedAuth | null;
  tls: SealedTls | null;
  secret: SealedSecret;
  previousSecret: PreviousSecret | null;
  disabledReason: DisabledReason | null;
  /** The first failure since the last success; null while it answers. */
  failingSince: Date | null;
  /** Since `failingSince`. */
  lastExhaustedAt: Date | null;
  /** Set only while it is active, with the notice (ADR 24). */
  notified: Notified | null;
  /** The latest `delivery.exhausted`; the same attempt is not reported twice. */
  exhaustedNotice: ExhaustedNotice | null;
  /** Deliveries that exhausted since then; somewhat more after a crash. */
  exhaustedUnreported: number;
  /** The latest release job; it ends those before it. */
  releaseUid: string | null;
  /** Deliveries that saw a lower count are dropped; absent before the first discard. */
  discardCount?: number;
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

/** What the database has; to deliver, only the rest of it is read. */
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
  /** Deliveries are signed with it, too, until then. */
  until: Date;
  /** `X-Webhook-Signature`, which has room for one, is made with the new secret already. */
  promoted: boolean;
}

export type KnownWebhook = Pick<WebhookDocument, '_id' | 'active' | 'kind' | 'discardCount'>;

/** The projection to it. */
export const knownFields = { active: 1, kind: 1, discardCount: 1 } as const;

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
