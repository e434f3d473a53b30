// Which change an event is of, by what the observer knows: the id of a report, the mark, or what was deleted.
import type { ChangeCall } from '../history.ts';
import { mayHaveHappened } from './calls.ts';
import { groupBy, type StoredEvent } from './stored.ts';

/** Returns the changes by the ids of their events. */
export function changesOfEvents(
  changes: readonly ChangeCall[],
  events: readonly StoredEvent[],
  bodies: ReadonlyMap<string, string>,
): Map<string, ChangeCall> {
  const byId = new Map(changes.map((each) => [each.eventId, each]));
  const byMark = new Map(changes.map((each) => [each.mark, each]));
  const found = new Map<string, ChangeCall>();
  const rest: StoredEvent[] = [];
  for (const event of events) {
    if (event.syncUid !== undefined) continue;
    const body = event.body || bodies.get(event._id) || '';
    const change = byId.get(event._id) ?? (isDeletion(event) ? undefined : byMarkIn(body, byMark));
    if (change !== undefined) found.set(event._id, change);
    else if (isDeletion(event) || body === '') rest.push(event);
  }
  const matched = new Set(found.values());
  const free = changes.filter((each) => mayHaveHappened(each) && !matched.has(each));
  matchByNames(rest, free, found);
  return found;
}

function isDeletion({ event }: StoredEvent): boolean {
  return event.endsWith('.deleted');
}

// A deletion has the mark of the change before it, and an erased event none.
function matchByNames(
  events: readonly StoredEvent[],
  changes: readonly ChangeCall[],
  found: Map<string, ChangeCall>,
): void {
  const accepted = changes.filter(({ outcome }) => outcome === 'accepted');
  const unknown = changes.filter(({ outcome }) => outcome === 'unknown');
  const queues = groupBy([...accepted, ...unknown], nameOf);
  for (const event of events.toSorted((a, b) => (a.sequence ?? 0) - (b.sequence ?? 0))) {
    const names = [nameOf(event), nameOf({ ...event, resourceUid: null })];
    const change = queues.get(names.find((name) => queues.get(name)?.length) ?? '')?.shift();
    if (change !== undefined) found.set(event._id, change);
  }
}

type Named = Pick<ChangeCall, 'appUid' | 'event' | 'externalTenantId' | 'resourceUid'>;

function nameOf({ appUid, event, externalTenantId, resourceUid }: Named): string {
  return [appUid, event, externalTenantId, resourceUid].join(' ');
}

function byMarkIn(body: string, byMark: ReadonlyMap<string, ChangeCall>): ChangeCall | undefined {
  for (const [mark] of body.matchAll(/\bm-[\d-]+/g)) {
    const change = byMark.get(mark);
    if (change !== undefined) return change;
  }
  return undefined;
}
