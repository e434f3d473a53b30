// Each delivery ends in a state that is true: what the receiver responded, or what the observer did, explains it.
import type { Call, ReceivedRequest } from '../history.ts';
import { effectEndMs, mayHaveHappened, possibleSettings } from './calls.ts';
import {
  type Facts,
  type Finding,
  isSuccess,
  jobsOf,
  lastsUntilMs,
  lossOf,
  type Pair,
  resendsOf,
} from './facts.ts';
import type { StoredDelivery } from './stored.ts';

export function ended(facts: Facts): Finding[] {
  const found: Finding[] = [];
  for (const pair of facts.pairs.values()) {
    const what = untrue(facts, pair);
    const subject = { eventId: pair.event._id, webhookUid: pair.webhook.uid };
    if (what !== null)
      found.push({ what: `${Object.values(subject).join('/')} ${what}`, ...subject });
  }
  for (const { eventId, path } of facts.history.requests) {
    if (facts.events.has(eventId) && facts.webhookAt.has(path)) continue;
    found.push({ what: `a request of ${eventId} at ${path} has no event or no webhook`, eventId });
  }
  return found;
}

function untrue(facts: Facts, pair: Pair): string | null {
  const { delivery, event, webhook } = pair;
  if (!event.webhookUids.includes(webhook.uid) && resendsOf(facts, pair).length === 0) {
    return 'was sent, and the event is not for this webhook';
  }
  if (delivery === undefined) return 'has no document';
  return untrueState(facts, pair, delivery) ?? untrueAttempts(facts, pair, delivery);
}

function untrueState(facts: Facts, pair: Pair, delivery: StoredDelivery): string | null {
  const { state, cancelReason, attempts } = delivery;
  const last = attempts.at(-1);
  if (state === 'delivered') {
    return isSuccess(last?.status ?? null) ? null : 'is delivered without a recorded 2xx';
  }
  if (state === 'exhausted') {
    if (last?.status !== 410 && !isUsedUp(pair, delivery)) return 'is exhausted with attempts left';
  } else if (state !== 'cancelled') return `is still ${state}`;
  else if (causesOf(facts, pair).length === 0) {
    return `is cancelled (${cancelReason}), which nobody caused`;
  }
  const request = pair.requests.at(-1);
  if (request === undefined || !isSuccess(request.response.status)) return null;
  if (isLost(facts, pair, request) || resendsOf(facts, pair).length > 0) return null;
  return `is ${state}, and its last request got ${request.response.status}`;
}

function isUsedUp({ webhook, requests }: Pair, delivery: StoredDelivery): boolean {
  const made = delivery.attemptCount - delivery.scheduleFrom;
  const last = requests.at(-1);
  // Its last attempt may have failed without a request.
  const startMs = last === undefined ? -Infinity : last.atMs - 1_000;
  const settings = possibleSettings(webhook, { startMs, endMs: Infinity });
  return settings.some(({ retryScheduleMs }) => made > retryScheduleMs.length);
}

/** Returns the calls that may have cancelled the delivery, for its reason. */
function causesOf(facts: Facts, pair: Pair): Call[] {
  const { webhook, event, change, delivery } = pair;
  const fromMs = change?.startMs ?? -Infinity;
  const later = webhook.settings.filter(
    (call) => mayHaveHappened(call) && effectEndMs(call) >= fromMs,
  );
  const jobs = jobsOf(facts, pair);
  const causes: Record<string, Call[]> = {
    webhook_deleted: webhook.deletions.filter(mayHaveHappened),
    discarded: later.filter(({ discards }) => discards),
    unsubscribed: later.filter(({ settings }) => !settings.entities.includes(event.entity)),
    skipped: jobs.filter(({ kind }) => kind === 'skip'),
    erased: jobs.filter((each) => each.externalTenantId === event.externalTenantId),
  };
  return causes[delivery?.cancelReason ?? ''] ?? [];
}

/** Checks whether the response may not be recorded: by a fault, or what else happened to the delivery meanwhile. */
function isLost(facts: Facts, pair: Pair, request: ReceivedRequest): boolean {
  const recordedMs = request.response.atMs + recordedWithinMs;
  return (
    lossOf(facts, request) !== null ||
    causesOf(facts, pair).some(({ startMs }) => startMs <= recordedMs) ||
    resendsOf(facts, pair).some(
      (job) => job.startMs <= recordedMs && lastsUntilMs(job) >= request.atMs,
    )
  );
}

const recordedWithinMs = 1_000;
/** Earlier attempts cannot be compared. */
const attemptsKept = 21;

function untrueAttempts(facts: Facts, pair: Pair, delivery: StoredDelivery): string | null {
  const { attempts, attemptCount } = delivery;
  const recorded = new Map(attempts.map(({ n, status }) => [n, status]));
  const isRecorded = ({ attempt, response }: ReceivedRequest): boolean =>
    recorded.get(attempt) === response.status;
  for (const { n, status } of attempts) {
    if (status === null) continue;
    const isSeen = pair.requests.some((each) => each.attempt === n && isRecorded(each));
    if (!isSeen) return `has an attempt ${n} with ${status}, which the receiver did not respond`;
  }
  const seen = new Set(pair.requests.filter(isRecorded).map(({ attempt }) => attempt));
  for (const request of pair.requests) {
    const { attempt, response } = request;
    const isKept = attempt > attemptCount - attemptsKept;
    if (!isKept || seen.has(attempt) || isLost(facts, pair, request)) continue;
    return `has no attempt ${attempt} with ${response.status}, which the receiver responded`;
  }
  return null;
}
