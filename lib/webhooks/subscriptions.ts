// Pure functions that decide which webhooks get an event.
import {
  entityOf,
  isOperationsEvent,
  isRevocation,
  type SubscribedEventName,
} from '../model/event-name.ts';
import type { EventFacts } from '../model/event.ts';
import type {
  FilterCondition,
  FilterValue,
  Subscription,
  WebhookDocument,
} from '../model/webhook.ts';

export interface EventToMatch extends Pick<EventFacts, 'resourceUid' | 'externalTenantId'> {
  event: SubscribedEventName;
}

/** Checks the kind of the event, which even a resend respects. No webhook gets notices about itself. */
export function matchesKind(
  { _id, kind }: Pick<WebhookDocument, '_id' | 'kind'>,
  { event, resourceUid }: Omit<EventToMatch, 'externalTenantId'>,
): boolean {
  const isOperations = isOperationsEvent(event);
  return kind === 'operations' ? isOperations && resourceUid !== _id : !isOperations;
}

/** The first setting of a webhook that keeps an event from it. */
type Mismatch = 'kind' | 'entity' | 'event' | 'tenant';

export function isSubscribed(webhook: Subscription, facts: EventToMatch): boolean {
  return mismatchOf(webhook, facts) === null;
}

/** Returns null for an event that the webhook is subscribed to; its filter is not checked here. */
export function mismatchOf(webhook: Subscription, facts: EventToMatch): Mismatch | null {
  const { event, externalTenantId } = facts;
  const { entities, events, externalTenantIds } = webhook;
  if (!matchesKind(webhook, facts)) return 'kind';
  if (!isOperationsEvent(event) && !entities.includes(entityOf(event))) return 'entity';
  // Otherwise a pager would get each sign-out of a user.
  const isChosen = events === null ? !isRevocation(event) : events.includes(event);
  if (!isChosen) return 'event';
  if (externalTenantIds !== null && !externalTenantIds.includes(externalTenantId)) return 'tenant';
  return null;
}

/** Returns a function that checks whether an event's data meets all conditions of a filter. */
export function filterCheck(data: unknown): (filter: readonly FilterCondition[] | null) => boolean {
  const unmetOf = unmetCondition(data);
  return (filter) => unmetOf(filter) === null;
}

/**
 * Returns a function that finds the first condition of a filter that an event's data does not meet, or null; an absent
 * field meets none. It indexes each list of the data once for all filters, so that their lengths add up instead of
 * multiplying.
 */
export function unmetCondition(
  data: unknown,
): (filter: readonly FilterCondition[] | null) => FilterCondition | null {
  const fields = new Map<string, unknown>();
  const isMet = ({ path, is }: FilterCondition): boolean => {
    if (!fields.has(path)) fields.set(path, asSet(fieldAt(data, path.split('.'))));
    const field = fields.get(path);
    return listOf(is).some((wanted) =>
      field instanceof Set ? field.has(wanted) : field === wanted,
    );
  };
  return (filter) => filter?.find((condition) => !isMet(condition)) ?? null;
}

function asSet(field: unknown): unknown {
  return Array.isArray(field) ? new Set<unknown>(field) : field;
}

/** Checks whether an event can match both filters: false if they allow no common value for a field. */
export function canMatchBoth(
  left: readonly FilterCondition[] | null,
  right: readonly FilterCondition[] | null,
): boolean {
  return (left ?? []).every(({ path, is }) => {
    const same = right?.find((each) => each.path === path);
    if (same === undefined) return true;
    const wanted = new Set<FilterValue>(listOf(same.is));
    return listOf(is).some((value) => wanted.has(value));
  });
}

// Own fields of objects only: a path leads neither to prototypes nor into arrays.
function fieldAt(data: unknown, names: readonly string[]): unknown {
  const [name, ...rest] = names;
  if (name === undefined) return data;
  const isObject = typeof data === 'object' && data !== null && !Array.isArray(data);
  if (!isObject || !Object.hasOwn(data, name)) return undefined;
  return fieldAt((data as Record<string, unknown>)[name], rest);
}

function listOf<T>(value: T | readonly T[]): readonly T[] {
  return Array.isArray(value) ? value : [value as T];
}
