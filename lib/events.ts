// The nine events of the service, and the JSON that receivers get.

export const entities = ['agent', 'context', 'contextfile'] as const;
export type Entity = (typeof entities)[number];

const changeKinds = ['created', 'updated', 'deleted'] as const;
export type ChangeKind = (typeof changeKinds)[number];

export type EventName = `${Entity}.${ChangeKind}`;

export const eventNames: readonly EventName[] = entities.flatMap((entity) =>
  changeKinds.map((kind): EventName => `${entity}.${kind}`),
);

/** What a webhook is sent to see whether it works; no change, and no webhook subscribes to it. */
export const testEventName = 'webhook.test';

/** Whatever may be delivered. */
export type DeliveredEventName = EventName | typeof testEventName;

/** What kind of resource it is about; a test is about the webhook itself. */
export type DeliveredEntity = Entity | 'webhook';

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

/** Gives the resource type an event is about: `agent.updated` → `agent`. */
export function entityOf(event: EventName): Entity {
  return event.slice(0, event.indexOf('.')) as Entity;
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
