// The JSON that receivers get.
import type { DeliveredEventName } from './event-name.ts';

/** The version of the payload's shape (docs/webhooks.md, "Events"). */
const payloadVersion = 1;

/** The resource an event tells about: complete, as clients see it. */
export interface ResourceData {
  uid: string;
  externalTenantId: string;
  [field: string]: unknown;
}

export interface EventEnvelope {
  eventId: string;
  event: DeliveredEventName;
  timestamp: Date;
  appUid: string;
  data: ResourceData;
}

/**
 * Makes the body of a delivery (docs/webhooks.md, "Events"). It is made once an event and stored: every
 * attempt and every resend sends these same bytes, so a signature never depends on re-serialising.
 */
export function renderPayload(envelope: EventEnvelope): string {
  return JSON.stringify({
    eventId: envelope.eventId,
    event: envelope.event,
    timestamp: envelope.timestamp.toISOString(),
    appUid: envelope.appUid,
    version: payloadVersion,
    data: envelope.data,
  });
}
