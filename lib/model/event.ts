import { seenDiscards, type SeenDiscards } from './discards.ts';
import type { TraceContext } from './trace-context.ts';
import type { DeliveredEntity, DeliveredEventName } from './event-name.ts';
import { withSequence } from './event-payload.ts';
import type { WebhookDocument } from './webhook.ts';

export interface EventDocument {
  _id: string;
  appUid: string;
  event: DeliveredEventName;
  entity: DeliveredEntity;
  resourceUid: string;
  externalTenantId: string;
  /** Starts at 1, or higher after a restore; null for tests of webhooks and for notices. */
  sequence: number | null;
  order: { webhookUid: string; n: number }[];
  /** Sent byte for byte; empty once erased. */
  body: string;
  erasedAt: Date | null;
  erasureUid?: string;
  /** The webhooks subscribed when it was recorded, including paused ones. */
  webhookUids: string[];
  /** Null until the event is claimed; never changes afterwards. */
  workflowId: string | null;
  dispatchedAt: Date | null;
  firstAttempt: FirstAttemptClaim | null;
  /** The discard counts of its webhooks when it was recorded; absent if all were 0. */
  seenDiscards?: SeenDiscards[];
  /** The sync that made it, for its webhook alone; absent for a change. */
  syncUid?: string;
  /** The trace context of the change; absent if no trace is recorded. */
  trace?: TraceContext;
  createdAt: Date;
}

/** Until `until`, the process `by` makes the event's first attempts, independent of its workflow (ADR 19). */
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

/** Returns the document of a new event. Without a subscriber there is nothing to dispatch. */
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

/** Writes the number of a change into its new event and the payload. */
export function setSequence(event: EventDocument, sequence: number): void {
  event.sequence = sequence;
  event.body = withSequence(event.body, sequence);
}

/** Returns the fields of a new event that name its webhooks. */
export function recipientFields(
  webhooks: readonly Pick<WebhookDocument, '_id' | 'discardCount'>[],
): Pick<EventDocument, 'webhookUids' | 'seenDiscards'> {
  const webhookUids = webhooks.map((webhook) => webhook._id);
  const seen = seenDiscards(webhooks);
  return seen.length === 0 ? { webhookUids } : { webhookUids, seenDiscards: seen };
}

export type EventFacts = Omit<EventDocument, 'body'>;

/** The projection to `EventToAttempt`, except for the body. */
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
  /** Null if it is long: it is then read just before it is sent. */
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
