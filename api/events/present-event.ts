import type { EventDocument, EventFacts } from '../../lib/model/event.ts';

export function presentEvent(event: EventFacts) {
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

/** Returns an event with the payload that receivers get, null once it was erased. */
export function presentEventWithPayload(event: EventDocument) {
  const payload = event.erasedAt !== null ? null : (JSON.parse(event.body) as unknown);
  return { ...presentEvent(event), payload };
}
