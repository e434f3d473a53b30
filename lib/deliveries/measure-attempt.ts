// Builds the record, log line and metrics of an attempt. Metrics are counters in memory: nothing is awaited.
import type { SendResult } from '../egress/sender.ts';
import type { Attempt, AttemptTrigger } from '../model/attempt.ts';
import type { DeliveryKey, DeliveryToAttempt } from '../model/delivery.ts';
import type { EventToAttempt } from '../model/event.ts';
import { isNotice } from '../model/event-name.ts';
import { partitionNumberOf } from '../model/partition.ts';
import type { WebhookDocument } from '../model/webhook.ts';
import { timeOfId } from '../platform/ids.ts';
import { deliveryLog } from '../platform/logger.ts';
import { rateOf } from '../rate-limit/slot.ts';
import { instruments } from '../telemetry/instruments.ts';
import type { Verdict } from './classify-response.ts';

export function triggerOf(delivery: DeliveryToAttempt | null): AttemptTrigger {
  if (delivery === null) return 'event';
  const { attemptCount, scheduleFrom, requeuedAs } = delivery;
  const requeued = attemptCount === scheduleFrom ? requeuedAs : null;
  return requeued ?? (attemptCount === 0 ? 'event' : 'retry');
}

export function toAttempt(
  result: SendResult,
  facts: Pick<Attempt, 'n' | 'at' | 'trigger'> & {
    verdict: Verdict;
    traceId: string | undefined;
  },
): Attempt {
  const hasResponse = result.kind === 'responded';
  const responseHeaders = hasResponse ? result.responseHeaders : [];
  return {
    n: facts.n,
    at: facts.at,
    ms: result.ms,
    status: hasResponse ? result.status : null,
    errorClass: facts.verdict.errorClass,
    detail: result.detail,
    responseSample: hasResponse ? result.responseSample : '',
    ...(responseHeaders.length === 0 ? {} : { responseHeaders: [...responseHeaders] }),
    address: result.address,
    trigger: facts.trigger,
    ...(facts.traceId === undefined ? {} : { traceId: facts.traceId }),
    state: facts.verdict.state,
  };
}

export function logAttempt(
  key: DeliveryKey,
  facts: {
    event: EventToAttempt;
    host: string;
    attempt: Attempt;
    verdict: Verdict;
    result: SendResult;
  },
): void {
  const { attempt, verdict, result } = facts;
  const isLost = verdict.state === 'exhausted' || verdict.state === 'blocked';
  deliveryLog[isLost ? 'warn' : 'info'](
    {
      ...key,
      eventType: facts.event.event,
      host: facts.host,
      attempt: attempt.n,
      trigger: attempt.trigger,
      state: verdict.state,
      status: attempt.status,
      errorClass: attempt.errorClass,
      detail: result.detail ?? undefined,
      cause: result.kind === 'failed' ? (result.cause ?? undefined) : undefined,
      durationMs: attempt.ms.total,
      nextAttemptAt: verdict.nextAttemptAt?.toISOString(),
    },
    'delivery.attempted',
  );
}

interface MeasuredAttempt {
  event: EventToAttempt;
  webhook: Pick<WebhookDocument, '_id' | 'ratePerSecond' | 'ratePerSecondPerTenant'>;
  /** The delivery before the attempt. */
  delivery: DeliveryToAttempt | null;
  attempt: Attempt;
  /** When the attempt was ready except for a permit. */
  readyAt: Date;
}

// A shorter wait for a permit does not count as waiting.
const permitWaitMsMin = 50;

/** Records the metrics of an attempt and of the time before it. */
export function measureAttempt(measured: MeasuredAttempt): void {
  const { attempt: done, delivery, event, readyAt } = measured;
  const { at, ms, state, errorClass } = done;
  const attempt = done.n < 4 ? done.n : '4+';
  const error = errorClass === null ? {} : { 'error.type': errorClass };
  instruments.attempts.add(1, { attempt, state, ...error });
  instruments.attemptDuration.record(ms.total / 1_000, error);
  for (const phase of ['dns', 'connect', 'tls', 'firstByte'] as const) {
    const phaseMs = ms[phase];
    if (phaseMs !== undefined) instruments.attemptPhaseDuration.record(phaseMs / 1_000, { phase });
  }
  const dueAt = dueOf(measured);
  if (dueAt !== null) instruments.queueDuration.record(secondsBetween(dueAt, readyAt), { attempt });
  const hasWaited = dueAt === null || at.getTime() - readyAt.getTime() >= permitWaitMsMin;
  const wasRequeued = delivery !== null && delivery.requeuedAt !== null;
  if (state !== 'delivered' || wasRequeued) return;
  const seconds = secondsBetween(timeOfId(event._id), at) + ms.total / 1_000;
  instruments.changeToReceipt.record(seconds, {
    attempt,
    ...(hasWaited ? { waited: 'yes' } : {}),
  });
}

/** Returns the due time of an attempt that only the service itself can have delayed; otherwise null. */
export function dueOf({
  event,
  webhook,
  delivery,
}: Omit<MeasuredAttempt, 'attempt' | 'readyAt'>): Date | null {
  if (rateOf(webhook, event) !== null || partitionNumberOf(event, webhook._id) !== null)
    return null;
  // A notice is started by the relay, some seconds later.
  if (delivery === null) return isNotice(event.event) ? null : timeOfId(event._id);
  return delivery.jobUid === null && delivery.state === 'retrying' ? delivery.nextAttemptAt : null;
}

function secondsBetween(from: Date, to: Date): number {
  return Math.max(0, to.getTime() - from.getTime()) / 1_000;
}
