// One attempt at one delivery, whoever asks for it: load, decide, send, classify, record.
import { errorCode } from '../platform/error-code.ts';
import { limits } from '../limits.ts';
import { deliveryLog } from '../platform/logger.ts';
import type { DeliveryOutcome } from '../model/delivery-outcome.ts';
import type { DeliveryDocument, DeliveryKey, DeliveryStep } from '../model/delivery.ts';
import type { EventToAttempt } from '../model/event.ts';
import { partitionId, turnOf } from '../model/partition.ts';
import type { WebhookDocument } from '../model/webhook.ts';
import type { SendMessage, SendResult } from '../egress/http-sender.ts';
import { removeDelivery } from './deliveries.ts';
import { openSecrets } from '../webhooks/webhooks.ts';
import { userAgent } from '../platform/version.ts';
import { classifyResponse } from './classify-response.ts';
import { type Asker, decide } from './decide.ts';
import { deliveryHeaders } from './delivery-headers.ts';
import { logAttempt, toAttempt, triggerOf } from './made-attempt.ts';
import { recordHealth } from './record-health.ts';
import { outcomeOf, recordedOutcome, unattempted } from './outcome-of.ts';
import { passTurn, takeTurn } from './pass-turn.ts';
import type { DeliveryPorts } from './ports.ts';

export interface AttemptOptions {
  asker: Asker;
  /** True where a place among the first attempts is taken, which is not to be spent on a saturated webhook. */
  avoidsSaturated?: boolean;
  /** Aborts when this process stops; the attempt then rejects and is made again elsewhere. */
  signal: AbortSignal;
}

/** Where an outcome says that the attempt went. */
type AttemptTarget = Pick<DeliveryOutcome, 'host' | 'attemptsMax'>;

/** What an attempt is about, as it was read. */
interface Subject {
  key: DeliveryKey;
  delivery: DeliveryDocument | null;
  event: EventToAttempt;
  webhook: WebhookDocument;
  options: AttemptOptions;
}

/**
 * Makes the next attempt at a delivery if one is due, records it, and returns how the delivery stands. An
 * attempt that is recorded already is not made again, and one that is not due yet is not made early. In
 * a partition, number n is attempted when those before it are settled, and whoever settles it moves the
 * partition on. A receiver's failure is an outcome; what rejects is our own fault (database away,
 * process stopping), to be repeated by Temporal without using up the receiver's attempts.
 */
export async function attemptDelivery(
  ports: DeliveryPorts,
  key: DeliveryKey,
  options: AttemptOptions,
): Promise<DeliveryOutcome> {
  const [delivery, event, webhook] = await Promise.all([
    ports.records.readDelivery(key),
    ports.records.readEvent(key),
    ports.records.readWebhook(key),
  ]);
  const { asker } = options;
  const decision = decide({ asker, delivery, event, webhook, now: ports.clock.now() });
  if (event === null) {
    return decision === 'cancel'
      ? endWithoutEvent(ports, key, delivery)
      : outcomeOf(key, delivery, asker);
  }
  const turn = turnOf(event, key.webhookUid);
  const subject = { key, delivery, event, options };
  if (decision === 'send' && !(await takeTurn(ports, { key, turn, asker }))) {
    // Written down, for lists and pauses to find.
    if (delivery === null) await recordUnsent(ports, subject, 'pending');
    return { ...unattempted(key, delivery), state: 'waiting' };
  }
  const outcome =
    decision === 'send' && webhook !== null
      ? await sendAndRecord(ports, { ...subject, webhook })
      : decision === 'cancel' || decision === 'hold'
        ? await recordUnsent(ports, subject, decision === 'hold' ? 'held' : 'cancelled')
        : outcomeOf(key, delivery, asker);
  return turn === null ? outcome : passTurn(ports, { key, turn, asker, outcome });
}

/** Ends a delivery whose event the database does not hold: nothing can be sent, now or later. */
async function endWithoutEvent(
  { store }: Pick<DeliveryPorts, 'store'>,
  key: DeliveryKey,
  delivery: DeliveryDocument | null,
): Promise<DeliveryOutcome> {
  // It was removed as too old at the very moment at which it was to be sent again; or the database was
  // restored to a time before it.
  if (delivery === null) deliveryLog.warn({ ...key }, 'delivery.event_missing');
  else await removeDelivery(store, delivery);
  return { ...unattempted(key, delivery), state: 'cancelled' };
}

/** Sends, and records what came of it. */
async function sendAndRecord(ports: DeliveryPorts, subject: Subject): Promise<DeliveryOutcome> {
  const { key, delivery, event, webhook } = subject;
  const attemptsBefore = delivery?.attemptCount ?? 0;
  const scheduleFrom = delivery?.scheduleFrom ?? 0;
  const scheduleMs = webhook.retryScheduleMs ?? ports.retryScheduleMs;
  const { host } = new URL(webhook.url);
  const target = { host, attemptsMax: scheduleFrom + scheduleMs.length + 1 };
  const sent = await send(ports, subject);
  if (sent === null) return leaveThrottled(ports, subject, target);
  const { at, result } = sent;
  const now = ports.clock.now();
  const attemptsMade = attemptsBefore + 1 - scheduleFrom;
  const verdict = classifyResponse(result, {
    scheduleMs,
    attemptsMade,
    now,
    random: ports.random(),
  });
  const trigger = triggerOf(delivery);
  const attempt = toAttempt(result, { n: attemptsBefore + 1, at, verdict, trigger });
  // Before the record: once that is written a repeat of this attempt would not come here again.
  await recordHealth(ports, { key, webhook, verdict, now });
  const { state, nextAttemptAt } = verdict;
  const [outcome] = await Promise.all([
    record(ports, subject, { state, attempt, nextAttemptAt, now, target }),
    ports.records.recordTriggered(webhook, at),
  ]);
  logAttempt(key, { event, host, attempt, verdict, result });
  return outcome;
}

/** Signs and sends once. Returns null when it is throttled: too many requests to the receiver are under way. */
async function send(
  ports: DeliveryPorts,
  { key, delivery, event, webhook, options }: Subject,
): Promise<{ at: Date; result: SendResult } | null> {
  let at = ports.clock.now();
  const compose = async (): Promise<SendMessage> => {
    const body = event.body ?? (await ports.records.readBody(event._id));
    if (body === null) throw new Error(`the payload of ${event._id} went before it was sent`);
    // Not before: the wait for a permit is none of the attempt's.
    at = ports.clock.now();
    const headers = deliveryHeaders({
      eventId: event._id,
      sequence: event.sequence,
      body,
      secrets: openSecrets(ports.secretBox, webhook, at),
      attemptNumber: (delivery?.attemptCount ?? 0) + 1,
      now: at,
      userAgent,
    });
    return { headers, body };
  };
  const { avoidsSaturated = false, signal } = options;
  const timeoutMs = limits.attemptTimeoutMs;
  try {
    const { url } = webhook;
    const request = {
      url,
      webhookUid: key.webhookUid,
      avoidsSaturated,
      compose,
      timeoutMs,
      signal,
    };
    return { result: await ports.sender.send(request), at };
  } catch (error) {
    if (errorCode(error) === 'THROTTLED') return null;
    throw error;
  }
}

/** Leaves what was throttled as it is. Of a first attempt it is written down, for pauses and discards to find. */
async function leaveThrottled(
  ports: DeliveryPorts,
  subject: Subject,
  target: AttemptTarget,
): Promise<DeliveryOutcome> {
  const { key, delivery } = subject;
  // Once a delivery: of a saturated webhook each asks again and again.
  deliveryLog[delivery === null ? 'info' : 'debug'](
    { ...key, host: target.host },
    'delivery.throttled',
  );
  if (delivery !== null) {
    const dueAt = delivery.nextAttemptAt?.toISOString();
    return { ...unattempted(key, delivery), state: 'retrying', ...target, dueAt };
  }
  const left = await recordUnsent(ports, subject, 'pending');
  return left.state === 'pending' ? { ...left, state: 'retrying', ...target } : left;
}

/** Records that a delivery is not sent now. */
async function recordUnsent(
  ports: Pick<DeliveryPorts, 'records' | 'clock'>,
  subject: Omit<Subject, 'webhook'>,
  state: 'cancelled' | 'held' | 'pending',
): Promise<DeliveryOutcome> {
  const now = ports.clock.now();
  const outcome = await record(ports, subject, { state, attempt: null, nextAttemptAt: null, now });
  if (state !== 'pending') {
    deliveryLog.info({ ...subject.key, state: outcome.state }, 'delivery.not_sent');
  }
  return outcome;
}

/** Records a step. What another process recorded meanwhile stands, and so does what a job took. */
async function record(
  { records }: Pick<DeliveryPorts, 'records'>,
  { key, delivery, event, options }: Omit<Subject, 'webhook'>,
  {
    target,
    ...made
  }: Pick<DeliveryStep, 'state' | 'attempt' | 'nextAttemptAt' | 'now'> & {
    target?: AttemptTarget;
  },
): Promise<DeliveryOutcome> {
  const turn = turnOf(event, key.webhookUid);
  const step: DeliveryStep = {
    ...made,
    event: event.event,
    isFirst: delivery === null,
    attemptsBefore: delivery?.attemptCount ?? 0,
    jobUid: delivery?.jobUid ?? null,
    partition: turn === null ? null : partitionId(turn.partition),
  };
  if (await records.record(key, step)) return { ...recordedOutcome(key, step), ...target };
  deliveryLog.warn({ ...key, n: made.attempt?.n }, 'delivery.superseded');
  const stored = await records.readDelivery(key);
  if (stored === null) throw new Error(`the delivery of ${key.eventId} vanished`);
  return outcomeOf(key, stored, options.asker);
}
