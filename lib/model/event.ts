import type { TraceContext } from './trace-context.ts';
import type { DeliveredEntity, DeliveredEventName } from './event-name.ts';

export interface EventDocument {
  _id: string;
  appUid: string;
  event: DeliveredEventName;
  entity: DeliveredEntity;
  resourceUid: string;
  externalTenantId: string;
  /** From 1 on; null for a test of a webhook. */
  sequence: number | null;
  order: { webhookUid: string; n: number }[];
  timestamp: Date;
  /** Sent byte for byte; empty once it was erased. */
  body: string;
  erasedAt: Date | null;
  erasureUid?: string;
  /** The subscribed webhooks when it was recorded, paused ones included. */
  webhookUids: string[];
  /** Null while it is not batched yet; never changed again. */
  workflowId: string | null;
  dispatchedAt: Date | null;
  headStart: HeadStartClaim | null;
  /** Where its trace goes on; absent where none is recorded. */
  trace?: TraceContext;
  createdAt: Date;
}

/** Until then the process makes the event's first attempts, apart from its workflow (ADR 19). */
export interface HeadStartClaim {
  by: string;
  until: Date;
}

export type EventFacts = Omit<EventDocument, 'body'>;

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
  | 'headStart'
  | 'trace'
  | 'createdAt'
> & {
  /** Null where it is long: it is read just before it is sent. */
  body: string | null;
};

export type EventToDispatch = Pick<
  EventDocument,
  | '_id'
  | 'appUid'
  | 'event'
  | 'resourceUid'
  | 'externalTenantId'
  | 'webhookUids'
  | 'workflowId'
  | 'trace'
  | 'createdAt'
>;
