// What is sent again, or dropped, on request: resends, replays and discards.
import type { DeliveryState } from './delivery-state.ts';
import type { EventName } from './event-name.ts';

export type RedeliveryState = 'running' | 'done' | 'cancelled';

/**
 * Which deliveries of a webhook a replay sends: also those of events that it was never sent, and not those
 * whose turn comes with their lane.
 */
export type ReplayedState = Exclude<DeliveryState, 'waiting'> | 'never_attempted';

/** What redeliveries of all kinds have. */
export interface RedeliveryFacts {
  _id: string;
  appUid: string;
  state: RedeliveryState;
  /** How many deliveries were handed on so far. */
  releasedCount: number;
  /** The last event that it has looked at; absent while there is none. */
  reached?: string;
  /** How many pages were taken; absent while there is none. */
  pagesTaken?: number;
  createdAt: Date;
  finishedAt: Date | null;
  /** When a workflow took it over; null while none has. */
  startedAt: Date | null;
}

/** One event, sent again at once to some of its webhooks. */
export interface ResendDocument extends RedeliveryFacts {
  kind: 'resend';
  eventId: string;
  webhookUids: string[];
}

/** The events of a time, sent again to one webhook at a bounded rate. */
export interface ReplayDocument extends RedeliveryFacts {
  kind: 'replay';
  webhookUid: string;
  since: Date;
  until: Date;
  /** Null for all events that the webhook gets. */
  events: EventName[] | null;
  states: ReplayedState[];
  perSecond: number;
}

/** What waits for webhooks that were deleted or resumed without it: it is dropped instead of sent. */
export interface DiscardDocument extends RedeliveryFacts {
  kind: 'discard';
  webhookUids: string[];
}

export type RedeliveryDocument = ResendDocument | ReplayDocument | DiscardDocument;

/** The part of a redelivery that starting its workflow needs. */
export type RedeliveryToStart = Pick<RedeliveryDocument, '_id' | 'appUid' | 'kind'> & {
  webhookUids: string[];
};
