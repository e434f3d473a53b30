// The lines of a history that explain a finding, in the order of time.
import type { Call } from '../history.ts';
import { overlaps } from './calls.ts';
import { type Facts, type Finding, jobsOf, type Pair } from './facts.ts';

const linesMax = 20;
const aroundMs = 15_000;

interface Entry {
  atMs: number;
  line: string;
}

export function timeline(facts: Facts, { eventId, webhookUid, resource }: Finding): string[] {
  const pair = facts.pairs.get(`${eventId}/${webhookUid}`);
  const change = facts.changeOf.get(eventId ?? '');
  const changes = facts.changesOfResources.get(resource ?? '') ?? (change ? [change] : []);
  const own = [
    ...changes.map((each) => entryOf(each, `${each.event} ${each.mark} ${each.eventId ?? ''}`)),
    ...(pair === undefined ? [] : entriesOf(facts, pair)),
  ];
  if (own.length === 0) return [];
  const times = own.map(({ atMs }) => atMs);
  const around = { startMs: Math.min(...times) - aroundMs, endMs: Math.max(...times) + aroundMs };
  const webhook = facts.webhooks.get(webhookUid ?? '');
  const settings = webhook?.settings.filter((each) => overlaps(each, around)) ?? [];
  const entries = [
    ...own,
    ...settings.map((each) => entryOf(each, `settings ${JSON.stringify(each.settings)}`)),
    ...(webhook?.deletions ?? []).map((each) => entryOf(each, 'deletion of the webhook')),
    ...facts.faults
      .filter((each) => overlaps(each, around))
      .map(({ startMs, endMs, name, target }) => ({
        atMs: startMs,
        line: `fault ${name} of ${target} for ${endMs - startMs} ms`,
      })),
  ];
  const lines = entries
    .toSorted((a, b) => a.atMs - b.atMs)
    .map(({ atMs, line }) => `${((atMs - facts.history.startMs) / 1_000).toFixed(3)} s ${line}`);
  if (lines.length <= linesMax) return lines;
  return [...lines.slice(0, linesMax / 2), ...lines.slice(-linesMax / 2)];
}

function entryOf({ startMs, endMs, outcome }: Call, what: string): Entry {
  return { atMs: startMs, line: `${what} ${outcome} after ${endMs - startMs} ms` };
}

function entriesOf(facts: Facts, pair: Pair): Entry[] {
  const { requests, delivery, event } = pair;
  return [
    ...jobsOf(facts, pair).map((each) => entryOf(each, each.kind)),
    ...requests.map(({ atMs, attempt, response }) => ({
      atMs,
      line: `request ${attempt} of ${event._id}: ${response.status ?? 'cut'} after ${response.atMs - atMs} ms`,
    })),
    ...(delivery === undefined
      ? []
      : [
          {
            atMs: facts.history.documents.readAtMs,
            line: `document: ${delivery.state} ${delivery.cancelReason ?? ''}, attempts ${delivery.attempts.map(({ n, status }) => `${n}:${status}`).join(' ')}`,
          },
        ]),
  ];
}
