import { deliveryStates } from './delivery-state.ts';
import { lostReasons, type SendableReason } from './cancel-reason.ts';
import type { SeenDiscards } from './discards.ts';
import { entities, type Entity, type SubscribedEventName } from './event-name.ts';

/** `never_attempted`: events without a delivery to the webhook. */
export const replayedStates = [...deliveryStates, 'never_attempted'] as const;
export type ReplayedState = (typeof replayedStates)[number];

export type ReplayedDeliveries = Pick<ReplayJob, 'states' | 'cancelReasons'>;

/** The default of replays and recoveries: failed and lost deliveries. Others must be named. */
export const replayedByDefault: ReplayedDeliveries = {
  states: ['exhausted', 'blocked', 'cancelled'],
  cancelReasons: [...lostReasons],
};

/** The states that a recovery may select: `retrying` and `held` deliveries wait, the others are lost. */
export const recoveredStates = [
  'exhausted',
  'blocked',
  'cancelled',
  'retrying',
  'held',
] as const satisfies readonly ReplayedState[];

/** `waiting`: for others of its application or webhook to end. */
export const jobStates = ['waiting', 'running', 'done', 'cancelled'] as const;

export interface JobFacts {
  _id: string;
  appUid: string;
  state: (typeof jobStates)[number];
  page: number;
  /** The last checked event or resource; empty at the start, and when a replay continues with the next webhook. */
  cursor: string;
  /** Deliveries requeued, or payloads erased. */
  count: number;
  createdAt: Date;
  startedAt: Date | null;
  finishedAt: Date | null;
}

export interface ReleaseJob extends JobFacts {
  kind: 'release';
  webhookUid: string;
}

export interface ResendJob extends JobFacts {
  kind: 'resend';
  eventId: string;
  webhookUids: string[];
  /** The discard counts of its webhooks at the request. */
  seenDiscards: SeenDiscards[];
}

export interface ReplayJob extends JobFacts {
  kind: 'replay';
  /** The webhook of the request; null for a replay of the application. */
  webhookUid: string | null;
  webhookUids: string[];
  /** The discard counts of these webhooks at the request. */
  seenDiscards: SeenDiscards[];
  webhooksDone: number;
  /** Only webhooks to which anything was sent. */
  webhooks: ReplayedWebhook[];
  since: Date;
  until: Date;
  events: SubscribedEventName[] | null;
  states: ReplayedState[];
  /** For cancelled deliveries. */
  cancelReasons: SendableReason[];
  /** Null for any. */
  externalTenantId: string | null;
  perSecond: number;
}

export interface ReplayedWebhook {
  webhookUid: string;
  count: number;
}

/** Sends the present state of the resources to a webhook. Its cursor is the last checked resource. */
export interface SyncJob extends JobFacts {
  kind: 'sync';
  webhookUid: string;
  /** The discard count of the webhook at the request. */
  seenDiscards: SeenDiscards[];
  entities: Entity[];
  /** Null for all. */
  externalTenantIds: string[] | null;
  /** The deliveries by entity; together they are `count`. */
  counts: Record<Entity, number>;
  perSecond: number;
  /** The subjects of erasures requested since: their resources are left out. Removed at its end. */
  erasedSince?: ErasureSubject[];
}

export const noCounts = Object.fromEntries(
  entities.map((entity) => [entity, 0]),
) as SyncJob['counts'];

/** The payloads of a tenant, or those in which one of the texts is a value. */
export type ErasureSubject = { externalTenantId: string } | { mentions: string[] };

export interface ErasureJob extends JobFacts {
  kind: 'erasure';
  /** Null once the job is done, because it may identify a person. */
  subject: ErasureSubject | null;
  pass: 1 | 2;
  passStartedAt: Date;
}

/** Jobs that may take long, of which an application has only a few at a time. */
export type LongJob = ReplayJob | SyncJob | ErasureJob;

export type JobDocument = ReleaseJob | ResendJob | ReplayJob | SyncJob | ErasureJob;

export const jobKinds = [
  'release',
  'resend',
  'replay',
  'sync',
  'erasure',
] as const satisfies JobDocument['kind'][];

export type JobToStart = Pick<JobDocument, '_id' | 'appUid' | 'kind'> & { webhookUids: string[] };
