// A job: what is done page by page, on request: a release, a resend, a replay or an erasure.
import type { DeliveryState } from './delivery-state.ts';
import type { EventName } from './event-name.ts';

/** Which deliveries of a webhook a replay sends: also those of events that it was never sent. */
export type ReplayedState = DeliveryState | 'never_attempted';

/** What jobs of all kinds have. */
export interface JobFacts {
  _id: string;
  appUid: string;
  state: 'running' | 'done' | 'cancelled';
  /** How many pages were taken. */
  page: number;
  /** The last event that was looked at; empty at the beginning. */
  cursor: string;
  /** How many deliveries were handed on, or payloads erased. */
  count: number;
  createdAt: Date;
  /** When its workflow was started; null while none was. */
  startedAt: Date | null;
  finishedAt: Date | null;
}

/** What a webhook held, sent after its resume; and what a resume or deletion dropped, cancelled. */
export interface ReleaseJob extends JobFacts {
  kind: 'release';
  webhookUid: string;
}

/** One event, sent again to some of its webhooks. */
export interface ResendJob extends JobFacts {
  kind: 'resend';
  eventId: string;
  webhookUids: string[];
}

/** The events of a time, sent again to one webhook at a bounded rate. */
export interface ReplayJob extends JobFacts {
  kind: 'replay';
  webhookUid: string;
  since: Date;
  until: Date;
  /** Null for all events that the webhook gets. */
  events: EventName[] | null;
  states: ReplayedState[];
  perSecond: number;
}

/** Whose payloads: those of one tenant, or those in which one of some texts stands as a value. */
export type ErasureSubject = { externalTenantId: string } | { mentions: string[] };

/** The payloads of a tenant or user, taken away. */
export interface ErasureJob extends JobFacts {
  kind: 'erasure';
  /** Null once it is done: it may hold what identifies a person. */
  subject: ErasureSubject | null;
  /** All events are looked at twice. */
  pass: 1 | 2;
  passStartedAt: Date;
}

export type JobDocument = ReleaseJob | ResendJob | ReplayJob | ErasureJob;

/** The part of a job that starting its workflow needs. */
export type JobToStart = Pick<JobDocument, '_id' | 'appUid' | 'kind'> & { webhookUids: string[] };
