// One attempt at one delivery, whoever asks for it: read, decide, sign, send, record.
import { errorCode } from '../error-code.ts';
import { limits } from '../limits.ts';
import { deliveryLog } from '../logger.ts';
import type { DeliveryOutcome } from '../model/delivery-outcome.ts';
import { isOpen } from '../model/delivery-state.ts';
import type { DeliveryDocument, DeliveryKey } from '../model/delivery.ts';
import { testEventName } from '../model/event-name.ts';
import type { EventToAttempt } from '../model/event.ts';
import type { LanePlace } from '../model/lane.ts';
import type { WebhookDocument } from '../model/webhook.ts';
import type { SendMessage, SendResult } from '../net/http-sender.ts';
import { removeDelivery } from '../store/deliveries.ts';
import { leaveLanes, takeBack } from '../store/held-deliveries.ts';
import { findBefore, findHead, laneOf } from '../store/lanes.ts';
import { isSubscribed, openSecrets } from '../store/webhooks.ts';
import { userAgent } from '../version.ts';
import { classifyResponse } from './classify-response.ts';
import { deliveryHeaders } from './delivery-headers.ts';
import { logAttempt, toAttempt, triggerOf } from './made-attempt.ts';
import { noteHealth } from './note-health.ts';
import type { DeliveryPorts } from './ports.ts';
import {
  isCarriedBy,
  leaveToRetries,
  outcomeOf,
  readOutcome,
  recordStep,
  recordUnsent,
  standing,
} from './record-step.ts';

export interface AttemptOptions {
  /** The redelivery for which the attempt is made; null for the event's own workflow. */
  redeliveryUid: string | null;
  /** True for the workflow of the delivery's lane, which alone attempts what is in the lane. */
  inLane?: boolean;
  /** True where a place among the first attempts is taken, which is not to be spent on a slow receiver. */
  avoidsSlow?: boolean;
  /** Aborts when this process stops; the attempt then rejects and is made again elsewhere. */
  signal: AbortSignal;
}

// Temporal's timers tick in whole seconds, so a retry up to one second early is on time.
const dueToleranceMs = 1_000;

/**
 * Makes the next attempt at a delivery if one is due, records it, and tells how the delivery
 * stands. The delivery document is the truth and the workflow only the alarm clock: an attempt that
 * is recorded already is not made again, and one that is not due yet is not made early. One that gets
 * no turn at its receiver is not made: the delivery is as it was, or `pending` where nothing was stored
 * of it yet, and told as `retrying` and due.
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
  if (delivery !== null && !isCarriedBy(delivery, options)) {
    return outcomeOf(key, delivery, options);
  }
  if (delivery !== null && delivery.lane !== null && options.inLane !== true) {
    return handToLane(ports, key, { delivery, lane: delivery.lane });
  }
  if (delivery !== null && !isDue(delivery, ports.clock.now())) {
    return outcomeOf(key, delivery, options);
  }
  if (event === null) return endWithoutEvent(ports, key, delivery);
  const outcome = await takeStep(ports, key, { event, webhook, delivery, options });
  if (options.inLane !== true) await wakeFollowers(ports, key, { event, webhook, outcome });
  return outcome;
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
  return { ...standing(key, delivery), state: 'cancelled' };
}

async function takeStep(
  ports: DeliveryPorts,
  key: DeliveryKey,
  subject: Omit<Subject, 'webhook'> & { webhook: WebhookDocument | null },
): Promise<DeliveryOutcome> {
  const { event, webhook, delivery } = subject;
  if (webhook === null || event.erasedAt !== null) {
    return recordUnsent(ports, key, { ...subject, state: 'cancelled' });
  }
  if (webhook.active) {
    const send = delivery?.state === 'held' ? sendHeld : sendInTurn;
    return send(ports, key, { ...subject, webhook });
  }
  const held = await recordUnsent(ports, key, { ...subject, state: 'held' });
  // Resuming sets `active` first and looks for held deliveries second. Read again after the
  // write, so that a resume or deletion between our two steps does not leave this delivery behind.
  const changed = await ports.records.readWebhook(key);
  if (changed === null) return recordUnsent(ports, key, { ...subject, state: 'cancelled' });
  if (changed.active) return sendHeld(ports, key, { ...subject, webhook: changed });
  // Not before: a repeat of a step along the lane finds it there.
  if (delivery !== null && delivery.lane !== null) await leaveLanes(ports.store, [delivery._id]);
  return held;
}

/** Sends what was held, unless a release has taken it by now: either of the two sends it. */
async function sendHeld(
  ports: DeliveryPorts,
  key: DeliveryKey,
  subject: Subject,
): Promise<DeliveryOutcome> {
  const { redeliveryUid } = subject.options;
  const lane = subject.delivery?.lane ?? null;
  const mine = { redeliveryUid, lane, now: ports.clock.now() };
  if (await takeBack(ports.store, key, mine)) return sendInTurn(ports, key, subject);
  return readOutcome(ports, key, subject.options);
}

function isDue(delivery: DeliveryDocument, now: Date): boolean {
  if (!isOpen(delivery.state)) return false;
  if (delivery.nextAttemptAt === null) return true;
  return delivery.nextAttemptAt.getTime() - now.getTime() <= dueToleranceMs;
}

interface Subject {
  event: EventToAttempt;
  webhook: WebhookDocument;
  delivery: DeliveryDocument | null;
  options: AttemptOptions;
}

/**
 * Sends now, or lines up behind earlier events about the resource where the webhook wants that and
 * one is on its way. A resend is for now, whatever the order. What the webhook no longer subscribes to
 * is not sent at all.
 */
async function sendInTurn(
  ports: DeliveryPorts,
  key: DeliveryKey,
  subject: Subject,
): Promise<DeliveryOutcome> {
  const { event, webhook, delivery, options } = subject;
  if (!isWanted(subject)) {
    return recordUnsent(ports, key, { event, delivery, options, state: 'cancelled' });
  }
  const { sequence } = event;
  const isOrdered = webhook.ordering === 'resource' && sequence !== null;
  if (!isOrdered || options.inLane === true) return sendAndRecord(ports, key, subject);
  const lane = laneOf(event, key.webhookUid);
  const isResend = delivery?.requeuedAs === 'resend';
  if (!isResend && (await findBefore(ports.store, lane, sequence)) !== 'nothing') {
    const unsent = { event, delivery, options, state: 'waiting' } as const;
    const outcome = await recordUnsent(ports, key, unsent);
    await ports.wakeLane({ lane, arrived: key.eventId });
    return outcome;
  }
  // If it is in the lane, the lane stops retrying it.
  if (isResend) await ports.wakeLane({ lane, letGo: key.eventId });
  return sendAndRecord(ports, key, subject);
}

/** Whether the webhook gets the event as it is now; a test, and what somebody sends it again, it always gets. */
function isWanted({ event: { event, externalTenantId }, webhook, delivery }: Subject): boolean {
  if (event === testEventName || delivery?.requeuedAs === 'resend') return true;
  return isSubscribed(webhook, { event, externalTenantId });
}

/** Tells those that wait in the lane for this delivery, which is not in it, that they need not any more. */
async function wakeFollowers(
  ports: DeliveryPorts,
  { webhookUid }: DeliveryKey,
  step: { event: EventToAttempt; webhook: WebhookDocument | null; outcome: DeliveryOutcome },
): Promise<void> {
  if (step.webhook?.ordering !== 'resource' || step.event.sequence === null) return;
  if (step.outcome.state === 'retrying' || step.outcome.state === 'waiting') return;
  const lane = laneOf(step.event, webhookUid);
  if ((await findHead(ports.store, lane)) !== null) await ports.wakeLane({ lane });
}

/** Leaves a delivery to its lane; awake once more, in case a crash came between the two. */
async function handToLane(
  ports: DeliveryPorts,
  key: DeliveryKey,
  { delivery, lane }: { delivery: DeliveryDocument; lane: LanePlace },
): Promise<DeliveryOutcome> {
  const { appUid, eventId, webhookUid } = key;
  await ports.wakeLane({ lane: laneOf({ appUid, ...lane }, webhookUid), arrived: eventId });
  return { ...outcomeOf(key, delivery, delivery), state: 'waiting' };
}

/** Sends, and records what came of it. */
async function sendAndRecord(
  ports: DeliveryPorts,
  key: DeliveryKey,
  subject: Subject,
): Promise<DeliveryOutcome> {
  const { event, webhook, delivery, options } = subject;
  const attemptsBefore = delivery?.attemptCount ?? 0;
  const scheduleFrom = delivery?.scheduleFrom ?? 0;
  const scheduleMs = webhook.retryScheduleMs ?? ports.retryScheduleMs;
  const { host } = new URL(webhook.url);
  const target = { host, attemptsMax: scheduleFrom + scheduleMs.length + 1 };
  const sent = await sendOnce(ports, key, subject);
  if (sent === null) {
    // Once a delivery: behind a slow receiver each asks again and again.
    deliveryLog[delivery === null ? 'info' : 'debug']({ ...key, host }, 'delivery.no_turn');
    return leaveToRetries(ports, key, { event, delivery, options, target });
  }
  const { at, result } = sent;
  const now = ports.clock.now();
  const verdict = classifyResponse(result, {
    scheduleMs,
    attemptsMade: attemptsBefore + 1 - scheduleFrom,
    now,
    random: ports.random(),
  });
  const trigger = triggerOf(delivery);
  const attempt = toAttempt(result, { n: attemptsBefore + 1, at, verdict, trigger });
  // Before the record: once that is written a repeat of this attempt would not come here again.
  await noteHealth(ports, { key, webhook, verdict, now });
  const [outcome] = await Promise.all([
    recordStep(ports, key, {
      step: {
        event: event.event,
        state: verdict.state,
        isFirst: delivery === null,
        attemptsBefore,
        redeliveryUid: options.redeliveryUid,
        attempt,
        nextAttemptAt: verdict.nextAttemptAt,
        // It keeps its place until it is settled.
        lane: verdict.state === 'retrying' ? (delivery?.lane ?? null) : null,
        now,
      },
      target,
    }),
    ports.records.noteTriggered(webhook, at),
  ]);
  logAttempt(key, { event, host, attempt, verdict, result });
  return outcome;
}

/** Signs and sends once. Gives null when no turn came: too many requests to the receiver are under way. */
async function sendOnce(
  ports: DeliveryPorts,
  key: DeliveryKey,
  { event, webhook, delivery, options }: Subject,
): Promise<{ at: Date; result: SendResult } | null> {
  let at = ports.clock.now();
  const compose = async (): Promise<SendMessage> => {
    const body = event.body ?? (await ports.records.readBody(event._id));
    if (body === null) throw new Error(`the payload of ${event._id} went before it was sent`);
    // Not before: the wait for a turn is none of the attempt's.
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
  const { url } = webhook;
  const { avoidsSlow = false, signal } = options;
  const timeoutMs = limits.attemptTimeoutMs;
  try {
    const request = { url, webhookUid: key.webhookUid, avoidsSlow, compose, timeoutMs, signal };
    const result = await ports.sender.send(request);
    return { at, result };
  } catch (error) {
    if (errorCode(error) === 'NO_TURN') return null;
    throw error;
  }
}
