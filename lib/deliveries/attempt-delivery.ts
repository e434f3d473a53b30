import { attemptLimits } from '../limits.ts';
import { errorCode } from '../platform/error-code.ts';
import { deliveryLog } from '../platform/logger.ts';
import type { DeliveryOutcome } from '../model/delivery-outcome.ts';
import type { DeliveryKey, DeliveryToAttempt } from '../model/delivery.ts';
import type { Attempt } from '../model/attempt.ts';
import type { EventToAttempt } from '../model/event.ts';
import { partitionNumberOf } from '../model/partition.ts';
import { hostOf } from '../model/url-origin.ts';
import { scheduleOf, type WebhookDocument } from '../model/webhook.ts';
import { instruments } from '../telemetry/instruments.ts';
import type { SendMessage, SendResult } from '../egress/sender.ts';
import { classifyResponse, throttledDelayMs } from './classify-response.ts';
import { composeMessage } from './compose-message.ts';
import { type AttemptCaller, type Decision, decide, isFinal, type Unsent } from './decide.ts';
import type { DeliveryFacts } from './delivery-records.ts';
import { reportOf } from './delivery-report.ts';
import { type Found, recordStep } from './record-step.ts';
import { logAttempt, measureAttempt, toAttempt, triggerOf } from './measure-attempt.ts';
import { recordHealth } from '../webhooks/webhook-health.ts';
import type { DeliveryPorts } from './ports.ts';
import { traceAttempt, type TracedAttempt } from './trace-attempt.ts';
import { hasSlot, rateOf } from '../rate-limit/slot.ts';

interface AttemptOptions {
  caller: AttemptCaller;
  /** Set for an early first attempt. The delivery has no document yet, and gets none if it is throttled. */
  early?: { event: EventToAttempt; webhook: WebhookDocument | null; readAt: Date };
  /** Aborts when this process stops; the attempt then rejects and is repeated by another process. */
  signal?: AbortSignal | undefined;
  /** Called right before the request is written. If it throws, nothing is sent. */
  beforeRequest?: () => void;
}

interface Subject extends Found {
  webhook: WebhookDocument;
  readAt: Date;
  options: AttemptOptions;
}

/**
 * Makes and records the next attempt at a delivery if it is due, never twice. A delivery in a partition is left to the
 * partition unless a job sends it. Returns the outcome, also when the receiver failed; rejects only on a fault of our
 * own, so that Temporal repeats the call.
 */
export async function attemptDelivery(
  ports: DeliveryPorts,
  key: DeliveryKey,
  options: AttemptOptions,
): Promise<DeliveryOutcome> {
  const { caller, early } = options;
  const { clock, processUid } = ports;
  const readAt = early?.readAt ?? clock.now();
  let facts = early === undefined ? await load(ports, key) : { delivery: null, ...early };
  let decision = decide({ ...facts, caller, now: clock.now(), processUid });
  if (isFinal(decision)) {
    facts = await ports.records.readProven(key);
    decision = decide({ ...facts, caller, now: clock.now(), processUid });
  }
  const outcome = await act(ports, { key, ...facts, caller, readAt, options }, decision);
  const { event, webhook } = facts;
  const partitionNumber = event === null ? null : partitionNumberOf(event, key.webhookUid);
  return {
    ...outcome,
    ...(webhook === null ? {} : { host: hostOf(webhook.url) }),
    ...(partitionNumber === null ? {} : { partitionNumber }),
  };
}

/** Returns the outcome of a delivery that was not read at all and is left to the retries. */
export function leftToRetries(key: DeliveryKey, now: Date): DeliveryOutcome {
  return { ...reportOf(key, null), state: 'later', why: 'throttled', at: now.toISOString() };
}

async function load({ records }: DeliveryPorts, key: DeliveryKey): Promise<DeliveryFacts> {
  const [delivery, event, webhook] = await Promise.all([
    records.readDelivery(key),
    records.readEvent(key),
    records.readWebhook(key),
  ]);
  return { delivery, event, webhook };
}

async function endWithoutEvent(
  ports: DeliveryPorts,
  key: DeliveryKey,
  delivery: DeliveryToAttempt | null,
): Promise<DeliveryOutcome> {
  // The retention removed the event just before a resend, or an older backup was restored.
  if (delivery === null) deliveryLog.warn({ ...key }, 'delivery.event_missing');
  else await ports.store.deliveries.deleteOne({ _id: delivery._id });
  return { ...reportOf(key, delivery), state: 'cancelled' };
}

async function act(
  ports: DeliveryPorts,
  subject: Omit<Subject, keyof DeliveryFacts> & DeliveryFacts,
  decision: Decision,
): Promise<DeliveryOutcome> {
  const { key, delivery, event, webhook } = subject;
  if (decision.kind === 'leave') return { ...reportOf(key, delivery), ...decision.ending };
  if (event === null) return endWithoutEvent(ports, key, delivery);
  if (decision.kind === 'record') {
    return recordUnsent(ports, { ...subject, event }, decision.unsent);
  }
  if (webhook === null) throw new Error(`the delivery to ${key.webhookUid} has no webhook`);
  return sendAndRecord(ports, { ...subject, event, webhook });
}

interface Plan extends Pick<Attempt, 'n' | 'trigger'> {
  scheduleMs: readonly number[];
  /** Since the last requeue, including this one. */
  attemptsMade: number;
  attemptsMax: number;
}

function planOf({ delivery, event, webhook }: Subject, defaultMs: readonly number[]): Plan {
  const n = (delivery?.attemptCount ?? 0) + 1;
  const scheduleFrom = delivery?.scheduleFrom ?? 0;
  const scheduleMs = scheduleOf(webhook, event.event, defaultMs);
  const attemptsMade = n - scheduleFrom;
  const attemptsMax = scheduleFrom + scheduleMs.length + 1;
  return { n, trigger: triggerOf(delivery), scheduleMs, attemptsMade, attemptsMax };
}

async function sendAndRecord(ports: DeliveryPorts, subject: Subject): Promise<DeliveryOutcome> {
  const { key, delivery, event, webhook } = subject;
  const plan = planOf(subject, ports.retryScheduleMs);
  const rate = rateOf(webhook, event);
  const slotFacts = { webhookUpdatedAt: webhook.updatedAt, now: ports.clock.now() };
  if (rate !== null && !hasSlot(delivery, slotFacts)) {
    // Comes before the permits, so that a delivery that waits for its slot holds no permit.
    const slotRequest = { webhook, rate, clock: ports.clock };
    const slot = await ports.records.awaitSlot(slotRequest, subject.options.signal);
    if (slot !== null) return leaveRateLimited(ports, subject, { plan, slot });
  }
  const sent = await send(ports, subject, plan);
  if (sent === 'throttled' || sent === 'outdated') {
    return leaveUnsent(ports, subject, { plan, reason: sent });
  }
  const { readyAt, at, result, traced } = sent;
  const now = ports.clock.now();
  const verdict = classifyResponse(result, { ...plan, now, random: ports.random() });
  const attempt = toAttempt(result, { ...plan, at, verdict, traceId: traced?.traceId });
  measureAttempt({ event, webhook, delivery, attempt, readyAt });
  const recordAll = async (): Promise<DeliveryOutcome> => {
    // Health comes first: once the attempt is recorded, a repeat of this call would skip it.
    await recordHealth(ports, { event, webhook, verdict, attempt, now });
    const { state, nextAttemptAt } = verdict;
    const step = { state, attempt, nextAttemptAt, now, attemptsMax: plan.attemptsMax };
    const outcome = await recordStep(ports.records, subject, step);
    ports.records.recordTriggered(webhook._id, at);
    logAttempt(key, { event, host: hostOf(webhook.url), attempt, verdict, result });
    return outcome;
  };
  traced?.addResult(result, verdict);
  return traced === null ? recordAll() : traced.finish(recordAll);
}

interface Sent {
  /** Taken before the wait for a permit. */
  readyAt: Date;
  at: Date;
  result: SendResult;
  traced: TracedAttempt | null;
}

async function send(
  ports: DeliveryPorts,
  subject: Subject,
  { n, trigger, attemptsMax }: Plan,
): Promise<Sent | 'throttled' | 'outdated'> {
  const { key, delivery, event, webhook, options } = subject;
  const isSync = delivery?.requeuedAs === 'sync';
  const readyAt = ports.clock.now();
  let at = readyAt;
  let traced: TracedAttempt | null = null;
  const compose = async (): Promise<SendMessage> => {
    if (await isOutdated(ports, subject)) throw new Outdated();
    const body = event.body ?? (await ports.records.readBody(event._id));
    if (body === null) throw new Outdated();
    const hasKey = webhook.signatures.includes('v1a');
    const signingKey = hasKey ? await ports.webhookKeys(key.appUid).active() : null;
    // Set here because the wait for a permit is not part of the attempt.
    at = ports.clock.now();
    traced = traceAttempt({ key, event, url: webhook.url, n, trigger, at });
    const trace = ports.sendsTraceparent ? (traced?.headers ?? null) : null;
    const attempt = { attemptNumber: n, attemptsLeft: Math.max(0, attemptsMax - n), now: at };
    const facts = { ...attempt, event, body, isSync, webhook, signingKey, trace };
    return composeMessage(ports.secretBox, facts);
  };
  const { appUid, webhookUid } = key;
  const { signal, beforeRequest } = options;
  const target = { url: webhook.url, appUid, webhookUid, beforeRequest, signal };
  try {
    const result = await ports.sender.send({ ...target, compose });
    return { result, readyAt, at, traced };
  } catch (error) {
    // The compiler does not see that `compose` assigns it.
    (traced as TracedAttempt | null)?.fail(error);
    if (error instanceof Outdated) return 'outdated';
    if (errorCode(error) === 'THROTTLED') return 'throttled';
    throw error;
  }
}

class Outdated extends Error {}

// During the wait for a slot or permit, the webhook may have been paused or changed, or the event erased.
async function isOutdated(ports: DeliveryPorts, subject: Subject): Promise<boolean> {
  const { key, event, readAt, webhook, caller, options } = subject;
  const { clock, processUid } = ports;
  const now = clock.now();
  // Once its claim has ended, the workflow may be making the attempt.
  if (options.early !== undefined && event.firstAttempt && now >= event.firstAttempt.until) {
    return true;
  }
  if (now.getTime() - readAt.getTime() <= attemptLimits.factsFreshMs) return false;
  const facts = await load(ports, key);
  const decision = decide({ ...facts, caller, now, processUid });
  const isUnchanged = facts.webhook?.updatedAt.getTime() === webhook.updatedAt.getTime();
  return decision.kind !== 'send' || !isUnchanged;
}

// Early attempts record this too, because the slot is already reserved.
async function leaveRateLimited(
  ports: DeliveryPorts,
  subject: Subject,
  { plan: { attemptsMax }, slot }: { plan: Plan; slot: Date },
): Promise<DeliveryOutcome> {
  instruments.throttled.add(1, { limit: 'rate' });
  const state = subject.delivery?.state === 'retrying' ? 'retrying' : 'pending';
  const now = ports.clock.now();
  const step = { state, attempt: null, nextAttemptAt: slot, isRateLimited: true, now } as const;
  return recordStep(ports.records, subject, { ...step, attemptsMax });
}

// A first attempt is recorded so that pauses and discards find the delivery. The next call decides again.
async function leaveUnsent(
  ports: DeliveryPorts,
  subject: Subject,
  { plan: { attemptsMax }, reason }: { plan: Plan; reason: 'throttled' | 'outdated' },
): Promise<DeliveryOutcome> {
  const { key, delivery, webhook, options } = subject;
  const now = ports.clock.now();
  if (options.early !== undefined) return leftToRetries(key, now);
  // Logged as `info` once per delivery: the deliveries of a busy webhook are throttled again and again.
  const level = delivery === null ? 'info' : 'debug';
  if (reason === 'throttled') {
    deliveryLog[level]({ ...key, host: hostOf(webhook.url) }, 'delivery.throttled');
  }
  const left =
    delivery === null
      ? await recordUnsent(ports, subject, { state: 'pending', attemptsMax })
      : { ...reportOf(key, delivery), attemptsMax, state: 'later' as const };
  if (left.state !== 'later') return left;
  // After a change, which may have fixed the receiver, the next attempt is due now.
  const dueAt = delivery?.nextAttemptAt ?? delivery?.updatedAt ?? now;
  const waitMs =
    reason === 'outdated' ? 0 : throttledDelayMs(now.getTime() - dueAt.getTime(), ports.random());
  const at = new Date(now.getTime() + waitMs).toISOString();
  const why = reason === 'outdated' ? 'retry' : 'throttled';
  return { ...left, state: 'later', why, at };
}

async function recordUnsent(
  ports: DeliveryPorts,
  found: Found,
  { attemptsMax, ...unsent }: Unsent & { attemptsMax?: number },
): Promise<DeliveryOutcome> {
  const made = { ...unsent, attempt: null, nextAttemptAt: null, now: ports.clock.now() };
  const outcome = await recordStep(ports.records, found, { ...made, attemptsMax });
  instruments.deliveriesUnsent.add(1, { state: unsent.state });
  if (unsent.state !== 'pending') {
    deliveryLog.info({ ...found.key, ...unsent, state: outcome.state }, 'delivery.not_sent');
  }
  return outcome;
}
