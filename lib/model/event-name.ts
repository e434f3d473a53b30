export const entities = ['agent', 'context', 'contextfile'] as const;
export type Entity = (typeof entities)[number];

const changeKinds = ['created', 'updated', 'deleted'] as const;

export type EventName = `${Entity}.${(typeof changeKinds)[number]}`;

export const eventNames: readonly EventName[] = entities.flatMap((entity) =>
  changeKinds.map((kind): EventName => `${entity}.${kind}`),
);

/** Sent on request to check a webhook; nobody can subscribe to it. */
export const testEventName = 'webhook.test';

/** Notices, for operations webhooks (docs/webhooks.md, "Operations webhooks"). */
export const operationsEventNames = [
  'webhook.failing',
  'webhook.deactivation_scheduled',
  'webhook.deactivated',
  'webhook.recovered',
  'delivery.exhausted',
  'apikey.expiring',
] as const;
export type OperationsEventName = (typeof operationsEventNames)[number];

/** The events that a webhook can subscribe to. */
export const subscribedEventNames = [...eventNames, ...operationsEventNames] as const;
export type SubscribedEventName = (typeof subscribedEventNames)[number];

/** The names that events and deliveries can have; queries along an index list all of them. */
export const deliveredEventNames = [...subscribedEventNames, testEventName] as const;
export type DeliveredEventName = (typeof deliveredEventNames)[number];

export type DeliveredEntity = Entity | 'webhook' | 'apikey';

export function entityOf(event: EventName): Entity {
  return event.slice(0, event.indexOf('.')) as Entity;
}

export function isOperationsEvent(event: DeliveredEventName): event is OperationsEventName {
  return (operationsEventNames as readonly string[]).includes(event);
}
