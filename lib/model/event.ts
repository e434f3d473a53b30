import { seenDiscards, type SeenDiscards } from './discards.ts';
import type { TraceContext } from './trace-context.ts';
import type { DeliveredEntity, DeliveredEventName } from './event-name.ts';
import type { WebhookDocument } from './webhook.ts';

export interface EventDocument {
  _id: string;
  appUid: string;
  event: DeliveredEventName;
  entity: DeliveredEntity;
  resourceUid: string;
  externalTenantId: string;
  /** From 1 on; null for a test of a webhook, and for what operations webhooks get. */
  sequence: number | null;
  order: { webhookUid: string; n: number }[];
  /** Sent byte for byte; empty once it was erased. */
  body: string;
  erasedAt: Date | null;
  erasureUid?: string;
  /** The subscribed webhooks when it was recorded, paused ones included. */
  webhookUids: string[];
  /** Null while it is not batched yet; never changed again. */
  workflowId: string | null;
  dispatchedAt: Date | null;
  firstAttempt: FirstAttemptClaim | null;
  /** Of its webhooks that had a discard before it was recorded; absent where none had. */
  seenDiscards?: SeenDiscards[];
  /** Where its trace goes on; absent where none is recorded. */
  trace?: TraceContext;
  createdAt: Date;
}

/** Until then the process makes the event's first attempts, apart from its workflow (ADR 19). */
export interface FirstAttemptClaim {
  by: string;
  until: Date;
}

type NewEvent = Pick<
  EventDocument,
  | '_id'
  | 'appUid'
  | 'event'
  | 'entity'
  | 'resourceUid'
  | 'externalTenantId'
  | 'body'
  | 'webhookUids'
> &
  Partial<Pick<EventDocument, 'workflowId' | 'firstAttempt' | 'seenDiscards' | 'trace'>>;

/** Returns the document of an event that is recorded now. Without a subscriber there is nothing to dispatch. */
export function newEvent(facts: NewEvent, now: Date): EventDocument {
  return {
    sequence: null,
    order: [],
    erasedAt: null,
    workflowId: null,
    firstAttempt: null,
    dispatchedAt: facts.webhookUids.length === 0 ? now : null,
    ...facts,
    createdAt: now,
  };
}

/** Returns the fields of a new event that say which webhooks get it. */
export function addressTo(
  webhooks: readonly Pick<WebhookDocument, '_id' | 'discardCount'>[],
): Pick<EventDocument, 'webhookUids' | 'seenDiscards'> {
  const webhookUids = webhooks.map((webhook) => webhook._id);
  const seen = seenDiscards(webhooks);
  return seen.length === 0 ? { webhookUids } : { webhookUids, seenDiscards: seen };
}

export type EventFacts = Omit<EventDocument, 'body'>;

/** The projection to `EventToAttempt`, but for the body. */
export const attemptFields = {
  appUid: 1,
  event: 1,
  entity: 1,
  resourceUid: 1,
  externalTenantId: 1,
  sequence: 1,
  order: 1,
  erasedAt: 1,
  firstAttempt: 1,
  seenDiscards: 1,
  trace: 1,
  createdAt: 1,
} as const;

export type EventToAttempt = Pick<EventDocument, '_id' | keyof typeof attemptFields> & {
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
