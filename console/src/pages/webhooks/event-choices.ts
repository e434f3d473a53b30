// The choice of a webhook's events in the form.
import {
  entities,
  type Entity,
  type EventType,
  resourceEventNames,
  type SubscribedEventName,
  type Webhook,
} from '@agent-herald/client';

export interface EventGroup {
  entity: string;
  events: readonly { event: SubscribedEventName; description: string }[];
}

function entityOf(event: string): string {
  return event.split('.')[0] ?? '';
}

function isOfResources(entity: string): entity is Entity {
  return entities.some((one) => one === entity);
}

function kindOf(event: SubscribedEventName): Webhook['kind'] {
  return resourceEventNames.some((one) => one === event) ? 'resources' : 'operations';
}

function isSubscribable(event: EventType['event']): event is SubscribedEventName {
  return event !== 'webhook.test';
}

/** Webhooks get these only by name. */
function isRevocation(event: SubscribedEventName): boolean {
  return /tokens?_revoked$/.test(event);
}

/** Returns the events that a kind of webhook can get, grouped by what they are about. */
export function groupsOf(kind: Webhook['kind'], types: readonly EventType[]): EventGroup[] {
  const groups = new Map<string, { event: SubscribedEventName; description: string }[]>();
  for (const { event, description } of types) {
    const entity = entityOf(event);
    if (!isSubscribable(event) || kindOf(event) !== kind) continue;
    groups.set(entity, [...(groups.get(entity) ?? []), { event, description }]);
  }
  return [...groups].map(([entity, events]) => ({ entity, events }));
}

/** Returns the names of the events that a webhook gets. */
export function chosenEvents(
  { kind, entities, events }: Pick<Webhook, 'kind' | 'entities' | 'events'>,
  types: readonly EventType[],
): SubscribedEventName[] {
  const wanted: readonly string[] = entities;
  return groupsOf(kind, types)
    .filter(({ entity }) => kind === 'operations' || wanted.includes(entity))
    .flatMap((group) => group.events.map(({ event }) => event))
    .filter((event) => events?.includes(event) ?? !isRevocation(event));
}

/** Returns the fields of a body. Null means all events of `entities` or notices, including future ones. */
export function subscriptionOf(
  kind: Webhook['kind'],
  chosen: readonly SubscribedEventName[],
  types: readonly EventType[],
): { entities?: Entity[]; events: SubscribedEventName[] | null } {
  const isChosen = ({ event }: { event: SubscribedEventName }): boolean => chosen.includes(event);
  const groups = groupsOf(kind, types).filter(
    ({ events }) => kind === 'operations' || events.some(isChosen),
  );
  const isAll = groups.every(({ events }) =>
    events.every((one) => isChosen(one) !== isRevocation(one.event)),
  );
  const events = isAll ? null : [...chosen];
  if (kind === 'operations') return { events };
  return { entities: groups.map(({ entity }) => entity).filter(isOfResources), events };
}
