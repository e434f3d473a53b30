export const entities = ['agent', 'context', 'contextfile'] as const;
export type Entity = (typeof entities)[number];

const changeKinds = ['created', 'updated', 'deleted'] as const;

export type EventName = `${Entity}.${(typeof changeKinds)[number]}`;

export const eventNames: readonly EventName[] = entities.flatMap((entity) =>
  changeKinds.map((kind): EventName => `${entity}.${kind}`),
);

/** Sent on request to check a webhook; nobody can subscribe to it. */
export const testEventName = 'webhook.test';

/** Asks a receiver to prove control; not stored, and no event of an application. */
export const challengeEventName = 'webhook.challenge';

/** Events about webhooks, API keys and stuck files. The relay starts their workflows. */
const noticeNames = [
  'webhook.failing',
  'webhook.deactivation_scheduled',
  'webhook.deactivated',
  'webhook.recovered',
  'delivery.exhausted',
  'apikey.expiring',
  'contextfile.processing_overdue',
] as const;
export type NoticeName = (typeof noticeNames)[number];

/** Committed with a revocation of tokens, and sent like a change to webhooks that name them. */
const revocationNames = [
  'user.tokens_revoked',
  'user.token_revoked',
  'application.tokens_revoked',
  'application.key_tokens_revoked',
] as const;
export type RevocationName = (typeof revocationNames)[number];

/** The events for operations webhooks (docs/webhooks.md, "Operations webhooks"). */
export const operationsEventNames = [...noticeNames, ...revocationNames] as const;
export type OperationsEventName = (typeof operationsEventNames)[number];

/** The events that a webhook can subscribe to. */
export const subscribedEventNames = [...eventNames, ...operationsEventNames] as const;
export type SubscribedEventName = (typeof subscribedEventNames)[number];

/** The names that events and deliveries can have; queries along an index list all of them. */
export const deliveredEventNames = [...subscribedEventNames, testEventName] as const;
export type DeliveredEventName = (typeof deliveredEventNames)[number];

/** What the API changes with an event. */
export type ChangedEntity = Entity | 'user' | 'application';
export type DeliveredEntity = ChangedEntity | 'webhook' | 'apikey';

export function isOfResources(entity: ChangedEntity): entity is Entity {
  return (entities as readonly string[]).includes(entity);
}

type EntityIn<Name> = Name extends `${infer Prefix}.${string}` ? Prefix : never;

export function entityOf<Name extends EventName | RevocationName>(event: Name): EntityIn<Name> {
  return event.slice(0, event.indexOf('.')) as EntityIn<Name>;
}

export function isRevocation(event: DeliveredEventName): event is RevocationName {
  return (revocationNames as readonly string[]).includes(event);
}

export function isNotice(event: DeliveredEventName): event is NoticeName {
  return isOperationsEvent(event) && !isRevocation(event);
}

export function isOperationsEvent(event: DeliveredEventName): event is OperationsEventName {
  return (operationsEventNames as readonly string[]).includes(event);
}
