// Each accepted change has exactly one event, each refused one none, and no event is of a change that nobody made.
import type { ChangeCall } from '../history.ts';
import { mayHaveHappened } from './calls.ts';
import { type Facts, type Finding, resourceOf, resourceOfChange } from './facts.ts';
import { isOfChange, type StoredEvent } from './stored.ts';

export function recorded(facts: Facts): Finding[] {
  const { history, events, changeOf, bodies } = facts;
  const found: Finding[] = [];
  const eventsOf = new Map<ChangeCall, StoredEvent[]>();
  for (const [eventId, change] of changeOf) {
    const event = events.get(eventId);
    if (event !== undefined) eventsOf.set(change, [...(eventsOf.get(change) ?? []), event]);
  }
  for (const change of history.changes) {
    const of = eventsOf.get(change) ?? [];
    const resource = resourceOfChange(change);
    const says = (what: string, event?: StoredEvent) =>
      found.push({ what: `${nameOf(change)} ${what}`, eventId: event?._id, resource });
    const isMissing = change.outcome === 'accepted' && of.length === 0;
    if (isMissing) says('was accepted, and has no event');
    if (of.length > 1) says(`has ${of.length} events: ${of.map(({ _id }) => _id).join(' ')}`);
    for (const event of of) {
      const wrong = wrongField(change, event, bodies.get(event._id));
      if (change.outcome === 'refused') says('was refused, and has an event', event);
      else if (wrong !== null) says(`has an event with another ${wrong}`, event);
    }
  }
  const deletedContexts = history.changes
    .filter((change) => change.event === 'context.deleted' && mayHaveHappened(change))
    .map(({ resourceUid }) => resourceUid);
  const deleted = new Set(deletedContexts);
  for (const event of events.values()) {
    if (!isOfChange(event) || changeOf.has(event._id) || isCascaded(event, deleted)) continue;
    const what = `${event._id} is an event of a change that nobody made`;
    found.push({ what, eventId: event._id, resource: resourceOf(event) });
  }
  return found;
}

function nameOf({ event, mark, resourceUid }: ChangeCall): string {
  return `${event} ${mark || resourceUid}`;
}

function wrongField(
  change: ChangeCall,
  event: StoredEvent,
  sent: string | undefined,
): string | null {
  const names = ['appUid', 'event', 'externalTenantId', 'resourceUid'] as const;
  const wrong = names.find((name) => change[name] !== null && change[name] !== event[name]);
  if (wrong !== undefined) return wrong;
  const body = event.body || sent;
  const isOfOther = body !== undefined && !new RegExp(`\\b${change.mark}\\b`).test(body);
  return isOfOther && change.mark !== '' ? 'body' : null;
}

// The deletion of a context deletes its files.
function isCascaded({ event, body }: StoredEvent, contexts: ReadonlySet<string | null>): boolean {
  if (event !== 'contextfile.deleted') return false;
  if (body === '') return contexts.size > 0;
  const { data } = JSON.parse(body) as { data: { contextUid?: string } };
  return contexts.has(data.contextUid ?? null);
}
