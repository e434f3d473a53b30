// Numbers of a resource follow its changes without repeats, and ordered webhooks get them one at a time.
import type { ChangeCall } from '../history.ts';
import { effectEndMs, overlaps, possibleSettings } from './calls.ts';
import {
  endedMs,
  type Facts,
  type Finding,
  isSuccess,
  type Pair,
  jobsOf,
  resourceOf,
} from './facts.ts';
import { groupBy, isOfChange, type StoredEvent } from './stored.ts';

export function order(facts: Facts): Finding[] {
  const found: Finding[] = [];
  const changed = [...facts.events.values()].filter(
    (event) => event.syncUid === undefined && (isOfChange(event) || facts.changeOf.has(event._id)),
  );
  for (const [resource, unsorted] of groupBy(changed, resourceOf)) {
    const events = unsorted.toSorted((a, b) => (a.sequence ?? 0) - (b.sequence ?? 0));
    found.push(...wrongNumbers(facts, resource, events), ...overtaken(facts, resource, events));
  }
  return found;
}

function wrongNumbers(facts: Facts, resource: string, events: readonly StoredEvent[]): Finding[] {
  const found: Finding[] = [];
  let expected = 1;
  let latestStartMs = -Infinity;
  for (const { _id: eventId, sequence } of events) {
    const change = facts.changeOf.get(eventId);
    const says = (what: string) =>
      found.push({ what: `${eventId} of ${resource} ${what}`, eventId, resource });
    if (sequence === null || sequence < expected) says(`repeats the number ${sequence}`);
    else if (sequence > expected && !mayLeaveGap(facts, resource, change)) {
      says(`has the number ${sequence} after ${expected - 1}`);
    }
    expected = Math.max(expected, (sequence ?? 0) + 1);
    if (change === undefined) continue;
    if (effectEndMs(change) < latestStartMs) says('has a higher number than a later change');
    latestStartMs = Math.max(latestStartMs, change.startMs);
  }
  return found;
}

// A number is lost with the change that took it, or if the service had to repeat a commit.
function mayLeaveGap(facts: Facts, resource: string, change: ChangeCall | undefined): boolean {
  if (change === undefined) return true;
  const others = facts.changesOfResources.get(resource) ?? [];
  const isLost = others.some(
    ({ outcome, startMs }) => outcome !== 'accepted' && startMs <= effectEndMs(change),
  );
  const span = { startMs: change.startMs - 1_000, endMs: change.endMs };
  return isLost || facts.faults.some((fault) => overlaps(fault, span));
}

/** Returns the webhooks that were surely ordered at the change, in which its event has no number. */
function withoutNumber(facts: Facts, { _id: eventId, order, webhookUids }: StoredEvent): Finding[] {
  const change = facts.changeOf.get(eventId);
  if (change === undefined) return [];
  const span = { startMs: change.startMs, endMs: effectEndMs(change) };
  return webhookUids
    .filter((uid) => !order.some(({ webhookUid }) => webhookUid === uid))
    .filter((uid) => {
      const webhook = facts.webhooks.get(uid);
      const settings = webhook === undefined ? [] : possibleSettings(webhook, span);
      return settings.length > 0 && settings.every(({ ordering }) => ordering === 'resource');
    })
    .map((webhookUid) => ({
      what: `${eventId} has no number in ${webhookUid}`,
      eventId,
      webhookUid,
    }));
}

function overtaken(facts: Facts, resource: string, events: readonly StoredEvent[]): Finding[] {
  const found: Finding[] = [];
  /** The latest end of an earlier delivery, by webhook. */
  const latest = new Map<string, { endMs: number; eventId: string }>();
  for (const event of events) {
    const { _id: eventId, order: numbers } = event;
    found.push(...withoutNumber(facts, event));
    for (const { webhookUid } of numbers) {
      const pair = facts.pairs.get(`${eventId}/${webhookUid}`);
      const first = pair?.requests[0];
      if (pair === undefined || first === undefined) continue;
      const before = latest.get(webhookUid);
      if (before !== undefined && first.atMs < before.endMs && !isMoved(facts, pair, first.atMs)) {
        const what = `${eventId}/${webhookUid} overtook ${before.eventId} of ${resource}`;
        found.push({ what, eventId, webhookUid, resource });
      }
      const endMs = surelyOpenUntil(facts, pair);
      if (endMs > (before?.endMs ?? 0)) latest.set(webhookUid, { endMs, eventId });
    }
  }
  return found;
}

// A resend is out of order.
function isMoved(facts: Facts, pair: Pair, beforeMs: number): boolean {
  return jobsOf(facts, pair).some(({ startMs }) => startMs <= beforeMs);
}

/** Returns 0 if it may have ended otherwise than by a response. */
function surelyOpenUntil(facts: Facts, pair: Pair): number {
  const { requests, delivery } = pair;
  const taken = requests.find(({ response }) => isSuccess(response.status));
  const isGone = requests.find(({ response }) => response.status === 410);
  const last = delivery?.state === 'exhausted' ? requests.at(-1) : undefined;
  const end = taken ?? isGone ?? last;
  if (end === undefined || isMoved(facts, pair, endedMs(end))) return 0;
  return endedMs(end);
}
