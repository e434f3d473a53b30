import type { Entity, EventName } from './event-name.ts';
import type { SealedSecret } from './sealed-secret.ts';

/** `gone`: it answered 410. */
export type DisabledReason = 'gone' | 'failing';

export const orderings = ['parallel', 'resource'] as const;
export type Ordering = (typeof orderings)[number];

export interface WebhookDocument {
  _id: string;
  appUid: string;
  url: string;
  entities: Entity[];
  /** Null, here and for tenants: all. */
  events: EventName[] | null;
  externalTenantIds: string[] | null;
  /** Null for the schedule of the service. */
  retryScheduleMs: number[] | null;
  ordering: Ordering;
  active: boolean;
  secret: SealedSecret;
  previousSecret: PreviousSecret | null;
  disabledReason: DisabledReason | null;
  /** The first failure since the last success; null while it answers. */
  failingSince: Date | null;
  /** Since `failingSince`. */
  lastExhaustedAt: Date | null;
  lastTriggeredAt: Date | null;
  /** The latest release job; it ends those before it. */
  releaseUid: string | null;
  /** Events recorded before are sent only by a resend or replay. */
  discardBefore: Date | null;
  createdAt: Date;
  updatedAt: Date;
}

/** What the database has; to deliver, only the rest of it is read. */
export interface StoredWebhook extends WebhookDocument {
  name: string | null;
  description: string | null;
  metadata: Record<string, string> | null;
}

export interface PreviousSecret {
  secret: SealedSecret;
  /** Deliveries are signed with it, too, until then. */
  until: Date;
  /** `X-Webhook-Signature`, which has room for one, is made with the new secret already. */
  promoted: boolean;
}

export type KnownWebhook = Pick<WebhookDocument, '_id' | 'active'>;

export type Subscription = Pick<WebhookDocument, 'entities' | 'events' | 'externalTenantIds'>;
