// The events of the service by name, and the kinds of resources they are about.

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

/** Gives the resource type an event is about: `agent.updated` → `agent`. */
export function entityOf(event: EventName): Entity {
  return event.slice(0, event.indexOf('.')) as Entity;
}
