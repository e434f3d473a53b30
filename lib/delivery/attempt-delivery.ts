// One attempt at one delivery, whoever asks for it: read, decide, sign, send, record.
import type { Clock } from '../clock.ts';
import { limits } from '../config.ts';
import type { SecretBox } from '../crypto/secret-box.ts';
import { deliveryLog } from '../logger.ts';
import type { HttpSender, SendResult } from '../net/http-sender.ts';
import type { Store } from '../store/connect.ts';
import type {
  Attempt,
  AttemptTrigger,
  DeliveryDocument,
  DeliveryKey,
  DeliveryStep,
} from '../store/deliveries.ts';
import type { EventDocument } from '../store/events.ts';
import {
  deactivateGoneWebhook,
  noteFailed,
  noteSucceeded,
  openSecrets,
} from '../store/webhooks.ts';
import type { WebhookDocument } from '../store/webhooks.ts';
import { userAgent } from '../version.ts';
import { classifyResponse } from './classify-response.ts';
import type { Verdict } from './classify-response.ts';
import { deliveryHeaders } from './delivery-headers.ts';
import type { DeliveryRecords } from './delivery-records.ts';
import type { DeliveryOutcome, DeliveryState } from './outcome.ts';
import type { Retention } from './tidy-up.ts';

/** What an attempt needs of the world. */
export interface DeliveryPorts {
  store: Store;
  records: DeliveryRecords;
  sender: HttpSender;
  secretBox: SecretBox;
  clock: Clock;
  /** Gives a number from 0 up to 1. */
  random: () => number;
  retryScheduleMs: readonly number[];
  /** How long all attempts at a webhook may fail before it is paused, in milliseconds. */
  deactivateAfterMs: number;
  retention: Retention;
}

export interface AttemptOptions {
  trigger: Extract<AttemptTrigger, 'event' | 'retry'>;
  /** The redelivery for which the attempt is made; null for the event's own workflow and releases. */
  redeliveryUid: string | null;
  /** Aborts when this process stops; the attempt then rejects and is made again elsewhere. */
  signal: AbortSignal;
}

/** An event that a workflow names but the database does not hold: time cannot cure that. */
export class EventMissing extends Error {
  readonly code = 'event_missing';
}

// Temporal's timers tick in whole seconds, so a retry up to one second early is on time.
const dueToleranceMs = 1_000;

const settledStates: ReadonlySet<DeliveryState> = new Set([
  'delivered',
  'exhausted',
  'cancelled',
  'blocked',
]);

/**
 * Makes the next attempt at a delivery if one is due, records it, and tells how the delivery
 * stands. The delivery document is the truth and the workflow only the alarm clock: an attempt that
 * is recorded already is not made again, and one that is not due yet is not made early.
 * A receiver's failure is an outcome; what rejects is our own fault (database away, process
 * stopping), to be repeated by Temporal without using up the receiver's attempts.
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
  if (
    delivery !== null &&
    !(isCarriedBy(delivery, options) && isDue(delivery, ports.clock.now()))
  ) {
    return outcomeOf(key, delivery, options);
  }
  if (event === null) throw new EventMissing(`event ${key.eventId} is not in the database`);
  const unsent = { event, delivery, options };
  if (webhook === null) return recordUnsent(ports, key, { ...unsent, state: 'cancelled' });
  if (!webhook.active) {
    const held = await recordUnsent(ports, key, { ...unsent, state: 'held' });
    // Resuming sets `active` first and looks for held deliveries second. Read again after the
    // write, so that a resume between our two steps does not leave this delivery behind.
    const resumed = await ports.records.readWebhook(key);
    if (resumed === null || !resumed.active) return held;
    return sendAndRecord(ports, key, { event, webhook: resumed, delivery, options });
  }
  return sendAndRecord(ports, key, { event, webhook, delivery, options });
}

function isDue(delivery: DeliveryDocument, now: Date): boolean {
  if (settledStates.has(delivery.state)) return false;
  if (delivery.nextAttemptAt === null) return true;
  return delivery.nextAttemptAt.getTime() - now.getTime() <= dueToleranceMs;
}

type Carrier = Pick<DeliveryStep, 'redeliveryUid'>;

/** Whether no other redelivery took the delivery over: that one decides from then on. */
function isCarriedBy(delivery: DeliveryDocument, { redeliveryUid }: Carrier): boolean {
  return (delivery.redeliveryUid ?? null) === redeliveryUid;
}

interface Subject {
  event: EventDocument;
  webhook: WebhookDocument;
  delivery: DeliveryDocument | null;
  options: AttemptOptions;
}

async function sendAndRecord(
  ports: DeliveryPorts,
  key: DeliveryKey,
  subject: Subject,
): Promise<DeliveryOutcome> {
  const { event, webhook, options } = subject;
  const attemptsBefore = subject.delivery?.attemptCount ?? 0;
  const at = ports.clock.now();
  const result = await ports.sender.send({
    url: webhook.url,
    headers: deliveryHeaders({
      eventId: event._id,
      body: event.body,
      secrets: openSecrets(ports.secretBox, webhook, at),
      attemptNumber: attemptsBefore + 1,
      now: at,
      userAgent,
    }),
    body: event.body,
    timeoutMs: limits.attemptTimeoutMs,
    signal: options.signal,
  });
  const now = ports.clock.now();
  const verdict = classifyResponse(result, {
    scheduleMs: webhook.retryScheduleMs ?? ports.retryScheduleMs,
    attemptsMade: attemptsBefore + 1 - (subject.delivery?.scheduleFrom ?? 0),
    now,
    random: ports.random(),
  });
  const trigger = triggerOf(subject);
  const attempt = toAttempt(result, { n: attemptsBefore + 1, at, verdict, trigger });
  // Before the record: once that is written a repeat of this attempt would not come here again.
  await noteHealth(ports, { key, webhook, verdict, now });
  const [outcome] = await Promise.all([
    record(ports, key, {
      event: event.event,
      state: verdict.state,
      isFirst: subject.delivery === null,
      attemptsBefore,
      redeliveryUid: options.redeliveryUid,
      attempt,
      nextAttemptAt: verdict.nextAttemptAt,
      now,
    }),
    ports.records.noteTriggered(webhook, at),
  ]);
  logAttempt(key, { event, webhook, attempt, verdict, result });
  return outcome;
}

/** Writes on the webhook what the attempt says about its receiver: well, failing, failed too long, gone. */
async function noteHealth(
  { store, deactivateAfterMs }: DeliveryPorts,
  facts: { key: DeliveryKey; webhook: WebhookDocument; verdict: Verdict; now: Date },
): Promise<void> {
  const { key, webhook, verdict, now } = facts;
  if (verdict.gone) {
    await deactivateGoneWebhook(store, webhook, now);
    deliveryLog.warn({ ...key, disabledReason: 'gone' }, 'webhook.deactivated');
  } else if (verdict.state === 'delivered') {
    await noteSucceeded(store, webhook);
  } else {
    const exhausted = verdict.state === 'exhausted';
    const paused = await noteFailed(store, webhook, { at: now, exhausted, deactivateAfterMs });
    if (paused) deliveryLog.warn({ ...key, disabledReason: 'failing' }, 'webhook.deactivated');
  }
}

/** The first attempt after a delivery was requeued says by what; the others are what they are. */
function triggerOf({ delivery, options }: Subject): AttemptTrigger {
  const isRequeued = delivery !== null && delivery.attemptCount === delivery.scheduleFrom;
  return (isRequeued ? delivery.requeuedAs : null) ?? options.trigger;
}

function toAttempt(
  result: SendResult,
  facts: { n: number; at: Date; verdict: Verdict; trigger: AttemptTrigger },
): Attempt {
  const answered = result.kind === 'answered';
  return {
    n: facts.n,
    at: facts.at,
    ms: result.ms,
    status: answered ? result.status : null,
    errorClass: facts.verdict.errorClass,
    responseSample: answered ? result.responseSample : '',
    address: result.address,
    trigger: facts.trigger,
  };
}

async function recordUnsent(
  ports: DeliveryPorts,
  key: DeliveryKey,
  facts: Pick<Subject, 'event' | 'delivery' | 'options'> & { state: 'cancelled' | 'held' },
): Promise<DeliveryOutcome> {
  const outcome = await record(ports, key, {
    event: facts.event.event,
    state: facts.state,
    isFirst: facts.delivery === null,
    attemptsBefore: facts.delivery?.attemptCount ?? 0,
    redeliveryUid: facts.options.redeliveryUid,
    attempt: null,
    nextAttemptAt: null,
    now: ports.clock.now(),
  });
  deliveryLog.info({ ...key, state: outcome.state }, 'delivery.not_sent');
  return outcome;
}

/** Records a step. What another process recorded meanwhile stands, and so does what a redelivery took over. */
async function record(
  ports: DeliveryPorts,
  key: DeliveryKey,
  step: DeliveryStep,
): Promise<DeliveryOutcome> {
  const written = await ports.records.record(key, step);
  if (!written) {
    const stored = await ports.records.readDelivery(key);
    if (stored === null) throw new Error(`the delivery of ${key.eventId} vanished`);
    deliveryLog.warn({ ...key, n: step.attempt?.n }, 'delivery.recorded_elsewhere');
    return outcomeOf(key, stored, step);
  }
  return {
    eventId: key.eventId,
    webhookUid: key.webhookUid,
    state: step.state,
    attemptCount: step.attemptsBefore + (step.attempt === null ? 0 : 1),
    status: step.attempt?.status ?? null,
    errorClass: step.attempt?.errorClass ?? null,
    nextAttemptAt: step.nextAttemptAt?.toISOString() ?? null,
  };
}

function outcomeOf(key: DeliveryKey, delivery: DeliveryDocument, by: Carrier): DeliveryOutcome {
  const last = delivery.attempts.at(-1);
  return {
    eventId: key.eventId,
    webhookUid: key.webhookUid,
    state: isCarriedBy(delivery, by) ? delivery.state : 'superseded',
    attemptCount: delivery.attemptCount,
    status: last?.status ?? null,
    errorClass: last?.errorClass ?? null,
    nextAttemptAt: delivery.nextAttemptAt?.toISOString() ?? null,
  };
}

function logAttempt(
  key: DeliveryKey,
  facts: {
    event: EventDocument;
    webhook: WebhookDocument;
    attempt: Attempt;
    verdict: Verdict;
    result: SendResult;
  },
): void {
  const { attempt, verdict, result } = facts;
  deliveryLog.info(
    {
      ...key,
      eventType: facts.event.event,
      host: new URL(facts.webhook.url).host,
      attempt: attempt.n,
      trigger: attempt.trigger,
      state: verdict.state,
      status: attempt.status,
      errorClass: attempt.errorClass,
      detail: result.kind === 'failed' ? result.detail : undefined,
      durationMs: attempt.ms.total,
      nextAttemptAt: verdict.nextAttemptAt?.toISOString(),
    },
    'delivery.attempted',
  );
}
