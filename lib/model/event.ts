// An event as it is stored: the exact bytes to send, for whom, and whether a workflow carries it.
import type { DeliveredEntity, DeliveredEventName } from './event-name.ts';

export interface EventDocument {
  _id: string;
  appUid: string;
  event: DeliveredEventName;
  /** The kind of the resource: its uid names it only among those of its kind. */
  entity: DeliveredEntity;
  resourceUid: string;
  externalTenantId: string;
  /** The number of the change among those of its resource, from 1 on; null for a test of a webhook. */
  sequence: number | null;
  /** Its number among the events about the resource, for each webhook that gets those in order. */
  order: { webhookUid: string; n: number }[];
  timestamp: Date;
  /** The body of every attempt, byte for byte; empty once it was erased. */
  body: string;
  /** When its payload was taken away on request; null while it is there. */
  erasedAt: Date | null;
  /** The erasure that took it. */
  erasureUid?: string;
  /** The webhooks subscribed at the time of the change, paused ones included. */
  webhookUids: string[];
  /** The workflow that is to carry the event; null while it is not yet batched. Never changed again. */
  workflowId: string | null;
  /** When that workflow took the event over; null while it has not. */
  dispatchedAt: Date | null;
  createdAt: Date;
}

/** An event without its payload, which may be long. */
export type EventFacts = Omit<EventDocument, 'body'>;

/** The part of an event that an attempt needs; a long body is read when its turn to be sent has come. */
export type EventToAttempt = Pick<
  EventDocument,
  | '_id'
  | 'appUid'
  | 'event'
  | 'entity'
  | 'resourceUid'
  | 'externalTenantId'
  | 'sequence'
  | 'order'
  | 'erasedAt'
> & {
  /** Null where it is long. */
  body: string | null;
};

/** The part of an event that starting its workflow needs. */
export type EventToDispatch = Pick<
  EventDocument,
  '_id' | 'appUid' | 'event' | 'resourceUid' | 'externalTenantId' | 'webhookUids' | 'workflowId'
>;
