// Each retry comes after its wait of the schedule, and not much later unless something explains it.
import type { ReceivedRequest, Span } from '../history.ts';
import { overlaps, possibleSettings } from './calls.ts';
import { endedMs, type Facts, type Finding, lastsUntilMs, type Pair, resendsOf } from './facts.ts';

const clockMs = 100;
const jitterShareMax = 0.15;
const lateMsMax = 10_000;
/** Of a fault: a lost attempt is repeated within it. */
const repeatedWithinMs = 15_000;
const hourMs = 3_600_000;

interface Retry {
  /** The latest request before it. */
  failed: ReceivedRequest;
  retry: ReceivedRequest;
  /** When the service first knew that the attempt had failed. */
  failedMs: number;
}

export function schedule(facts: Facts): Finding[] {
  const found: Finding[] = [];
  for (const pair of facts.pairs.values()) {
    for (const each of retriesOf(pair.requests)) {
      const { event, webhook } = pair;
      const what = wrongWait(facts, pair, each);
      const subject = { eventId: event._id, webhookUid: webhook.uid };
      const name = `attempt ${each.retry.attempt} of ${event._id}/${webhook.uid}`;
      if (what !== null) found.push({ what: `${name} ${what}`, ...subject });
    }
  }
  return found;
}

function retriesOf(requests: readonly ReceivedRequest[]): Retry[] {
  const found: Retry[] = [];
  let failedMs = Infinity;
  for (const [index, retry] of requests.entries()) {
    const failed = requests[index - 1];
    if (failed !== undefined) {
      failedMs = Math.min(failedMs, endedMs(failed));
      if (retry.attempt > failed.attempt) {
        if (retry.attempt === failed.attempt + 1) found.push({ failed, retry, failedMs });
        failedMs = Infinity;
      }
    }
  }
  return found;
}

function wrongWait(facts: Facts, pair: Pair, { failed, retry, failedMs }: Retry): string | null {
  const waitedMs = retry.atMs - failedMs;
  const resends = resendsOf(facts, pair).filter(({ startMs }) => startMs <= retry.atMs);
  if (resends.some((job) => lastsUntilMs(job) >= failedMs)) return null;
  // A resend starts the schedule anew, after an attempt that only the service knows.
  const first = resends.length === 0 ? failed.attempt : 1;
  const span = { startMs: failed.atMs - 1_000, endMs: failed.response.atMs };
  const waits = possibleSettings(pair.webhook, span).flatMap(({ retryScheduleMs }) =>
    retryScheduleMs.slice(first - 1, failed.attempt).map((waitMs) => waitOf(waitMs, failed)),
  );
  if (waits.length === 0) return 'came after the last of the schedule';
  const earliestMs = Math.min(...waits);
  if (waitedMs < earliestMs - clockMs) return `came after ${waitedMs} ms, not ${earliestMs}`;
  const latestMs = Math.max(...waits) * (1 + jitterShareMax) + lateMsMax;
  const between = { startMs: failedMs, endMs: retry.atMs };
  if (waitedMs <= latestMs || isHeldUp(facts, pair, between)) return null;
  const faultsMs = faultMsIn(facts, between);
  return waitedMs <= latestMs + faultsMs ? null : `came ${waitedMs - latestMs} ms too late`;
}

function waitOf(scheduledMs: number, failed: ReceivedRequest): number {
  const { status, retryAfterSeconds } = failed.response;
  const hasMeaning = status === 429 || status === 503;
  const requestedMs = hasMeaning ? (retryAfterSeconds ?? 0) * 1_000 : 0;
  const longestMs = Math.max(2 * scheduledMs, hourMs);
  return Math.min(Math.max(requestedMs, scheduledMs), longestMs);
}

// A pause, a rate, an order, or 32 requests in flight.
function isHeldUp(facts: Facts, { webhook }: Pair, between: Span): boolean {
  const isWaiting = possibleSettings(webhook, between).some(
    ({ active, ordering, ratePerSecond }) =>
      !active || ordering === 'resource' || ratePerSecond !== null,
  );
  return (
    isWaiting ||
    (facts.requestsAt.get(webhook.path) ?? []).some(
      ({ atMs, response }) =>
        overlaps({ startMs: atMs, endMs: response.atMs }, between) &&
        (response.status === 410 || response.atMs - atMs > 1_000),
    )
  );
}

function faultMsIn({ faults }: Facts, { startMs, endMs }: Span): number {
  return faults
    .filter((fault) => overlaps(fault, { startMs, endMs }))
    .map((fault) => Math.min(fault.endMs, endMs) - Math.max(fault.startMs, startMs))
    .reduce((sum, faultMs) => sum + faultMs + repeatedWithinMs, 0);
}
