// A webhook: where an application wants its events sent, with the sealed signing secret.
import type { Entity, EventName } from './event-name.ts';
import type { SealedSecret } from './sealed-secret.ts';

/** Why the service paused a webhook: it answered 410, or it failed for days. */
export type DisabledReason = 'gone' | 'failing';

/** How events reach a webhook: each for itself, or those about one resource one after the other. */
export const orderings = ['parallel', 'resource'] as const;
export type Ordering = (typeof orderings)[number];

export interface WebhookDocument {
  _id: string;
  appUid: string;
  url: string;
  entities: Entity[];
  /** The only events it gets; null for all of its entities'. */
  events: EventName[] | null;
  /** The only tenants whose events it gets; null for all. */
  externalTenantIds: string[] | null;
  /** The waits between its attempts; null for the service's. */
  retryScheduleMs: number[] | null;
  ordering: Ordering;
  active: boolean;
  secret: SealedSecret;
  /** The secret before a rotation, until the receiver must know the new one. */
  previousSecret: PreviousSecret | null;
  disabledReason: DisabledReason | null;
  /** When the first of the failures came that no success has followed; null while it answers. */
  failingSince: Date | null;
  /** When a delivery to it last ended as exhausted since then. */
  lastExhaustedAt: Date | null;
  lastTriggeredAt: Date | null;
  /** The job that releases what it held; null before the first. A later one ends those before it. */
  releaseUid: string | null;
  /** What was recorded before is not sent any more, unless somebody asks for it again. */
  discardBefore: Date | null;
  createdAt: Date;
  updatedAt: Date;
}

export interface PreviousSecret {
  secret: SealedSecret;
  /** Until when deliveries are signed with it, too. */
  until: Date;
  /** True once `X-Webhook-Signature`, which has room for one, is made with the new secret. */
  promoted: boolean;
}

/** A webhook that exists, and whether it is paused. */
export type KnownWebhook = Pick<WebhookDocument, '_id' | 'active'>;

/** The part of a webhook that says which events it gets. */
export type Subscription = Pick<
  WebhookDocument,
  '_id' | 'appUid' | 'entities' | 'events' | 'externalTenantIds' | 'ordering'
>;
