import { errorCode } from '../platform/error-code.ts';
import { limits } from '../limits.ts';
import { deliveryLog } from '../platform/logger.ts';
import type { DeliveryOutcome } from '../model/delivery-outcome.ts';
import type { DeliveryDocument, DeliveryKey, DeliveryStep } from '../model/delivery.ts';
import type { AttemptTrigger } from '../model/attempt.ts';
import type { EventToAttempt } from '../model/event.ts';
import { partitionId, turnOf } from '../model/partition.ts';
import { hostOf } from '../model/url-origin.ts';
import type { WebhookDocument } from '../model/webhook.ts';
import { instruments } from '../telemetry/instruments.ts';
import type { SendMessage, SendResult } from '../egress/http-sender.ts';
import { removeDelivery } from './deliveries.ts';
import { classifyResponse } from './classify-response.ts';
import { composeMessage } from './compose-message.ts';
import { type Asker, type AttemptFacts, decide } from './decide.ts';
import { logAttempt, toAttempt, triggerOf } from './made-attempt.ts';
import { measureAttempt } from './measure-attempt.ts';
import { recordHealth } from './record-health.ts';
import { outcomeOf, recordedOutcome, unattempted } from './outcome-of.ts';
import { passTurn, takeTurn } from './pass-turn.ts';
import type { DeliveryPorts } from './ports.ts';
import { traceAttempt, type TracedAttempt } from './trace-attempt.ts';

interface AttemptOptions {
  asker: Asker;
  /** True where the attempt has a slot of the first attempts, which a saturated webhook must not keep. */
  avoidsSaturated?: boolean;
  /** Just recorded and read: there is no document of the delivery, and none is made of a throttled attempt. */
  headStart?: { event: EventToAttempt; webhook: WebhookDocument | null };
  /** Aborts when this process stops; the attempt then rejects and is made again elsewhere. */
  signal: AbortSignal;
}

type AttemptTarget = Pick<DeliveryOutcome, 'host' | 'attemptsMax'>;
type Unsent =
  | { state: 'held' | 'pending' }
  | { state: 'cancelled'; cancelReason: DeliveryStep['cancelReason'] };
type MadeStep = Pick<DeliveryStep, 'state' | 'attempt' | 'nextAttemptAt' | 'now'> &
  Partial<Pick<DeliveryStep, 'cancelReason' | 'isInLine'>> & { target?: AttemptTarget };

interface Subject {
  key: DeliveryKey;
  delivery: DeliveryDocument | null;
  event: EventToAttempt;
  webhook: WebhookDocument;
  options: AttemptOptions;
}

/**
 * Makes and records the next attempt at a delivery if it is due, never twice, in a partition only in its turn. Returns
 * the delivery's state; a receiver's failure is an outcome too. Rejects on our own faults (database away, process
 * stopping), which Temporal repeats without using up the receiver's attempts.
 */
export async function attemptDelivery(
  ports: DeliveryPorts,
  key: DeliveryKey,
  options: AttemptOptions,
): Promise<DeliveryOutcome> {
  const { delivery, event, webhook } = await load(ports, key, options);
  const { asker } = options;
  const { processUid } = ports;
  const now = ports.clock.now();
  const decision = decide({ asker, delivery, event, webhook, now, processUid });
  if (event === null) {
    return decision === 'remove'
      ? endWithoutEvent(ports, key, delivery)
      : outcomeOf(key, delivery, asker);
  }
  if (decision === 'notYet' && delivery === null) return withAnother(key, event);
  const turn = turnOf(event, key.webhookUid);
  const subject = { key, delivery, event, options };
  if (decision === 'send' && !(await takeTurn(ports, { key, turn, asker }))) {
    // Recorded, so that lists and pauses find it.
    if (delivery === null) await recordUnsent(ports, subject, { state: 'pending' });
    return { ...unattempted(key, delivery), state: 'waiting' };
  }
  const outcome =
    decision === 'send' && webhook !== null
      ? await sendAndRecord(ports, { ...subject, webhook })
      : typeof decision === 'object'
        ? await recordUnsent(ports, subject, { state: 'cancelled', ...decision })
        : decision === 'hold'
          ? await recordUnsent(ports, subject, { state: 'held' })
          : outcomeOf(key, delivery, asker);
  return turn === null ? outcome : passTurn(ports, { key, turn, asker, outcome });
}

async function load(
  { records }: DeliveryPorts,
  key: DeliveryKey,
  { headStart }: AttemptOptions,
): Promise<Pick<AttemptFacts, 'delivery' | 'event' | 'webhook'>> {
  if (headStart !== undefined) return { delivery: null, ...headStart };
  const [delivery, event, webhook] = await Promise.all([
    records.readDelivery(key),
    records.readEvent(key),
    records.readWebhook(key),
  ]);
  return { delivery, event, webhook };
}

// Due when the claim of the process that recorded the event ends.
function withAnother(key: DeliveryKey, { headStart }: EventToAttempt): DeliveryOutcome {
  const nextAttemptAt = headStart?.until.toISOString() ?? null;
  return { ...unattempted(key, null), state: 'retrying', nextAttemptAt };
}

async function endWithoutEvent(
  ports: DeliveryPorts,
  key: DeliveryKey,
  delivery: DeliveryDocument | null,
): Promise<DeliveryOutcome> {
  // The retention removed it just when it was to be sent again, or the database was restored to a time before it.
  if (delivery === null) deliveryLog.warn({ ...key }, 'delivery.event_missing');
  else await removeDelivery(ports.store, delivery);
  return { ...unattempted(key, delivery), state: 'cancelled' };
}

async function sendAndRecord(ports: DeliveryPorts, subject: Subject): Promise<DeliveryOutcome> {
  const { key, delivery, event, webhook } = subject;
  const attemptsBefore = delivery?.attemptCount ?? 0;
  const scheduleFrom = delivery?.scheduleFrom ?? 0;
  const scheduleMs = webhook.retryScheduleMs ?? ports.retryScheduleMs;
  const host = hostOf(webhook.url);
  const target = { host, attemptsMax: scheduleFrom + scheduleMs.length + 1 };
  const isInLine = delivery?.isInLine ?? false;
  const { signal } = subject.options;
  // Before the permits: whoever waits for the rate keeps none.
  const waitsUntil = await awaitRate(ports, webhook, { isInLine, signal });
  if (waitsUntil !== null) return leaveInLine(ports, subject, { target, waitsUntil });
  const trigger = triggerOf(delivery);
  const sent = await send(ports, subject, trigger);
  if (sent === null) return leaveThrottled(ports, subject, target);
  const { readyAt, at, result, traced } = sent;
  const now = ports.clock.now();
  const attemptsMade = attemptsBefore + 1 - scheduleFrom;
  const verdict = classifyResponse(result, {
    scheduleMs,
    attemptsMade,
    now,
    random: ports.random(),
  });
  const facts = { n: attemptsBefore + 1, at, verdict, trigger, traceId: traced?.traceId };
  const attempt = toAttempt(result, facts);
  measureAttempt({ event, webhook, delivery, attempt, readyAt });
  const recordAll = async (): Promise<DeliveryOutcome> => {
    // Before the record: once that is written, a repeat of this attempt would skip it.
    await recordHealth(ports, { event, webhook, verdict, attempt, now });
    const { state, nextAttemptAt } = verdict;
    const [outcome] = await Promise.all([
      record(ports, subject, { state, attempt, nextAttemptAt, now, target }),
      ports.records.recordTriggered(webhook, at),
    ]);
    logAttempt(key, { event, host, attempt, verdict, result });
    return outcome;
  };
  traced?.answer(result, verdict);
  return traced === null ? recordAll() : traced.finish(recordAll);
}

interface Sent {
  /** Before the wait for a permit. */
  readyAt: Date;
  at: Date;
  result: SendResult;
  traced: TracedAttempt | null;
}

async function send(
  ports: DeliveryPorts,
  { key, delivery, event, webhook, options }: Subject,
  trigger: AttemptTrigger,
): Promise<Sent | null> {
  const readyAt = ports.clock.now();
  let at = readyAt;
  let traced: TracedAttempt | null = null;
  const compose = async (): Promise<SendMessage> => {
    const body = event.body ?? (await ports.records.readBody(event._id));
    if (body === null) throw new Error(`the payload of ${event._id} went before it was sent`);
    // Not before: the wait for a permit is no part of the attempt.
    at = ports.clock.now();
    const n = (delivery?.attemptCount ?? 0) + 1;
    traced = traceAttempt({ key, event, url: webhook.url, n, trigger, at });
    const trace = ports.sendsTraceparent ? (traced?.headers ?? null) : null;
    const facts = { event, body, webhook, attemptNumber: n, now: at, trace };
    return composeMessage(ports.secretBox, facts);
  };
  const { avoidsSaturated = false, signal } = options;
  try {
    const result = await ports.sender.send({
      url: webhook.url,
      webhookUid: key.webhookUid,
      avoidsSaturated,
      compose,
      timeoutMs: limits.attemptTimeoutMs,
      signal,
    });
    return { result, readyAt, at, traced };
  } catch (error) {
    // The compiler does not see that `compose` sets it.
    (traced as TracedAttempt | null)?.fail(error);
    if (errorCode(error) === 'THROTTLED') return null;
    throw error;
  }
}

async function awaitRate(
  { records, clock }: DeliveryPorts,
  { _id: webhookUid, ratePerSecond }: WebhookDocument,
  { isInLine, signal }: { isInLine: boolean; signal: AbortSignal },
): Promise<Date | null> {
  if (ratePerSecond === null) return null;
  return records.awaitTime({ webhookUid, ratePerSecond, isInLine, clock }, signal);
}

// Recorded at once, by a head start too: the time is taken.
async function leaveInLine(
  ports: DeliveryPorts,
  subject: Subject,
  { target, waitsUntil }: { target: AttemptTarget; waitsUntil: Date },
): Promise<DeliveryOutcome> {
  instruments.throttled.add(1, { limit: 'rate' });
  const state = subject.delivery?.state === 'retrying' ? 'retrying' : 'pending';
  const now = ports.clock.now();
  const step = { state, attempt: null, nextAttemptAt: waitsUntil, isInLine: true, now } as const;
  const left = await record(ports, subject, { ...step, target });
  return left.state === 'pending' ? { ...left, state: 'retrying' } : left;
}

// A throttled first attempt is recorded, so that pauses and discards find it.
async function leaveThrottled(
  ports: DeliveryPorts,
  subject: Subject,
  target: AttemptTarget,
): Promise<DeliveryOutcome> {
  const { key, delivery, options } = subject;
  if (options.headStart !== undefined) return { ...unattempted(key, null), state: 'retrying' };
  // As `info` once a delivery: each of a saturated webhook asks again and again.
  deliveryLog[delivery === null ? 'info' : 'debug'](
    { ...key, host: target.host },
    'delivery.throttled',
  );
  if (delivery !== null) {
    const dueAt = delivery.nextAttemptAt?.toISOString();
    return { ...unattempted(key, delivery), state: 'retrying', ...target, dueAt };
  }
  const left = await recordUnsent(ports, subject, { state: 'pending' });
  return left.state === 'pending' ? { ...left, state: 'retrying', ...target } : left;
}

async function recordUnsent(
  ports: DeliveryPorts,
  subject: Omit<Subject, 'webhook'>,
  unsent: Unsent,
): Promise<DeliveryOutcome> {
  const now = ports.clock.now();
  const made = { ...unsent, attempt: null, nextAttemptAt: null, now };
  const outcome = await record(ports, subject, made);
  instruments.deliveriesUnsent.add(1, { state: unsent.state });
  if (unsent.state !== 'pending') {
    deliveryLog.info({ ...subject.key, ...unsent, state: outcome.state }, 'delivery.not_sent');
  }
  return outcome;
}

// What another process recorded meanwhile stands, and so does a job's claim.
async function record(
  { records }: DeliveryPorts,
  { key, delivery, event, options }: Omit<Subject, 'webhook'>,
  { target, ...made }: MadeStep,
): Promise<DeliveryOutcome> {
  const turn = turnOf(event, key.webhookUid);
  const step: DeliveryStep = {
    cancelReason: null,
    isInLine: false,
    ...made,
    event: event.event,
    externalTenantId: event.externalTenantId,
    isFirst: delivery === null,
    attemptsBefore: delivery?.attemptCount ?? 0,
    jobUid: delivery?.jobUid ?? null,
    partition: turn === null ? null : partitionId(turn.partition),
  };
  if (await records.record(key, step)) {
    return { ...recordedOutcome(key, step, delivery?.attempts ?? []), ...target };
  }
  deliveryLog.warn({ ...key, n: made.attempt?.n }, 'delivery.superseded');
  const stored = await records.readDelivery(key);
  if (stored === null) throw new Error(`the delivery of ${key.eventId} vanished`);
  return outcomeOf(key, stored, options.asker);
}
