import { type DeliveryState, lostReasons, type SendableReason } from './delivery-state.ts';
import type { SeenDiscards } from './discards.ts';
import type { SubscribedEventName } from './event-name.ts';

/** `never_attempted`: events of which the webhook has no delivery. */
export type ReplayedState = DeliveryState | 'never_attempted';

export type ReplayedDeliveries = Pick<ReplayJob, 'states' | 'cancelReasons'>;

/** What every replay and recovery sends by default: failed and lost deliveries. Dropped ones have to be named. */
export const replayedByDefault: ReplayedDeliveries = {
  states: ['exhausted', 'blocked', 'cancelled'],
  cancelReasons: [...lostReasons],
};

export interface JobFacts {
  _id: string;
  appUid: string;
  state: 'running' | 'done' | 'cancelled';
  page: number;
  /** The last event that was checked; empty at the start, and where a replay goes on with the next webhook. */
  cursor: string;
  /** Deliveries enqueued, or payloads erased. */
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
  /** Of its webhooks, when it was requested. */
  seenDiscards?: SeenDiscards[];
}

export interface ReplayJob extends JobFacts {
  kind: 'replay';
  /** The webhook that it was asked for; null for one of the application. */
  webhookUid: string | null;
  webhookUids: string[];
  /** Of these, when it was requested. */
  seenDiscards?: SeenDiscards[];
  webhooksDone: number;
  /** Of those to which anything was sent. */
  webhooks: ReplayedWebhook[];
  since: Date;
  until: Date;
  events: SubscribedEventName[] | null;
  states: ReplayedState[];
  /** Of the cancelled deliveries. */
  cancelReasons: SendableReason[];
  /** Null for any. */
  externalTenantId: string | null;
  perSecond: number;
}

export interface ReplayedWebhook {
  webhookUid: string;
  count: number;
}

/** The payloads of a tenant, or those in which one of the texts is a value. */
export type ErasureSubject = { externalTenantId: string } | { mentions: string[] };

export interface ErasureJob extends JobFacts {
  kind: 'erasure';
  /** Null once it is done: it may identify a person. */
  subject: ErasureSubject | null;
  pass: 1 | 2;
  passStartedAt: Date;
}

export type JobDocument = ReleaseJob | ResendJob | ReplayJob | ErasureJob;

export type JobToStart = Pick<JobDocument, '_id' | 'appUid' | 'kind'> & { webhookUids: string[] };
