export const entities = ['agent', 'context', 'contextfile'] as const;
export type Entity = (typeof entities)[number];

const changeKinds = ['created', 'updated', 'deleted'] as const;

export type EventName = `${Entity}.${(typeof changeKinds)[number]}`;

export const eventNames: readonly EventName[] = entities.flatMap((entity) =>
  changeKinds.map((kind): EventName => `${entity}.${kind}`),
);

/** Sent on request to check a webhook; nobody subscribes to it. */
export const testEventName = 'webhook.test';

export type DeliveredEventName = EventName | typeof testEventName;

export type DeliveredEntity = Entity | 'webhook';

export function entityOf(event: EventName): Entity {
  return event.slice(0, event.indexOf('.')) as Entity;
}
