// No request begins more than half a second after a pause, a 410, a deletion, a skip, a discard or an erasure took effect.
import type { Call, JobCall, ReceivedRequest, Span, WebhookHistory } from '../history.ts';
import { effectEndMs, isGone, mayHaveHappened, possibleSettings } from './calls.ts';
import {
  type Facts,
  type Finding,
  jobsOf,
  lastsUntilMs,
  lossOf,
  type Pair,
  resendsOf,
  wasFrozen,
} from './facts.ts';

/** Half a second, and a grace for a busy machine. Only the arrival of a request is known, not when it began. */
const silentAfterMs = 500 + 1_500;

/** A request over a reused connection that breaks is sent again within the 5 s of its attempt. */
const resentWithinMs = 5_500;

export function silence(facts: Facts): Finding[] {
  const found: Finding[] = [];
  for (const pair of facts.pairs.values()) {
    const { event, webhook, requests } = pair;
    for (const request of requests) {
      const cause = silencedBy(facts, pair, request.atMs);
      if (cause === null || isLateByFault(facts, pair, request)) continue;
      const what = `${event._id}/${webhook.uid} got attempt ${request.attempt} after ${cause}`;
      found.push({ what, eventId: event._id, webhookUid: webhook.uid });
    }
    if (isLeft(facts, pair)) {
      const what = `${event._id} was not erased`;
      found.push({ what, eventId: event._id, webhookUid: webhook.uid });
    }
  }
  return found;
}

function silencedBy(facts: Facts, pair: Pair, atMs: number): string | null {
  const { event, webhook, change } = pair;
  const fromMs = atMs - silentAfterMs;
  if (isGone(webhook, fromMs)) return 'the deletion of the webhook';
  const settings = possibleSettings(webhook, { startMs: fromMs, endMs: atMs });
  if (settings.every(({ active }) => !active)) return 'a pause';
  if (isGoneAt(facts, webhook, { startMs: fromMs, endMs: atMs })) return 'a 410';
  if (event.erasedAt !== null && event.erasedAt.getTime() < fromMs) return 'its erasure';
  const skips = jobsOf(facts, pair).filter(({ kind }) => kind === 'skip');
  const discards = webhook.settings.filter(
    (call) => call.discards && change !== undefined && effectEndMs(change) < call.startMs,
  );
  const resends = resendsOf(facts, pair).filter(({ startMs }) => startMs <= atMs);
  const cancels = (call: Call, untilMs: (job: JobCall) => number): boolean =>
    call.outcome === 'accepted' &&
    call.endMs < fromMs &&
    resends.every((job) => untilMs(job) < call.startMs);
  if (skips.some((skip) => cancels(skip, lastsUntilMs))) return 'a skip';
  // It also ends what was requested before.
  return discards.some((discard) => cancels(discard, effectEndMs)) ? 'a discard' : null;
}

// A 410 deactivates the webhook until somebody sets it.
function isGoneAt(facts: Facts, webhook: WebhookHistory, { startMs, endMs }: Span): boolean {
  const gone = facts.gone.get(webhook.path)?.findLast(({ response }) => response.atMs < startMs);
  if (gone === undefined || lossOf(facts, gone) !== null) return false;
  return !webhook.settings.some(
    (call) =>
      mayHaveHappened(call) && call.startMs <= endMs && effectEndMs(call) >= gone.response.atMs,
  );
}

function isLateByFault(facts: Facts, { requests }: Pair, request: ReceivedRequest): boolean {
  const { atMs, attempt } = request;
  const isRepeat = requests.some(
    (each) =>
      each.attempt === attempt &&
      each.response.status === null &&
      each.atMs < atMs &&
      each.atMs >= atMs - resentWithinMs,
  );
  return isRepeat || wasFrozen(facts, { startMs: atMs - silentAfterMs, endMs: atMs });
}

// What was recorded before an accepted erasure.
function isLeft(facts: Facts, pair: Pair): boolean {
  const { event, change } = pair;
  if (change === undefined || event.erasedAt !== null) return false;
  return jobsOf(facts, pair).some(
    ({ kind, outcome, externalTenantId, startMs }) =>
      kind === 'erasure' &&
      outcome === 'accepted' &&
      externalTenantId === event.externalTenantId &&
      change.outcome === 'accepted' &&
      change.endMs < startMs,
  );
}
