// An event as clients see it.
import type { EventDocument, EventFacts } from '../../lib/model/event.ts';

export interface PresentedEvent {
  eventId: string;
  event: string;
  timestamp: string;
  appUid: string;
  resourceUid: string;
  externalTenantId: string;
  /** The number of the change among those of its resource; null for a test of a webhook. */
  sequence: number | null;
  webhookUids: string[];
  /** The Temporal workflow that carries the event, alone or with others; null while none is chosen. */
  workflowId: string | null;
  /** When that workflow took the event over; null while it has not, at the latest for a few seconds. */
  dispatchedAt: string | null;
  /** When its payload was taken away on request; null while it is there. */
  erasedAt: string | null;
}

/** Gives an event's facts without its payload, for lists. */
export function presentEvent(event: EventFacts): PresentedEvent {
  return {
    eventId: event._id,
    event: event.event,
    timestamp: event.timestamp.toISOString(),
    appUid: event.appUid,
    resourceUid: event.resourceUid,
    externalTenantId: event.externalTenantId,
    sequence: event.sequence,
    webhookUids: event.webhookUids,
    workflowId: event.workflowId,
    dispatchedAt: event.dispatchedAt?.toISOString() ?? null,
    erasedAt: event.erasedAt?.toISOString() ?? null,
  };
}

/** Gives an event with the payload that receivers get, null once it was erased. */
export function presentEventWithPayload(
  event: EventDocument,
): PresentedEvent & { payload: unknown } {
  return {
    ...presentEvent(event),
    payload: event.erasedAt !== null ? null : (JSON.parse(event.body) as unknown),
  };
}
