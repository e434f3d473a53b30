// The metrics of attempts: counters in memory, nothing is written or awaited.
import type { Attempt } from '../model/attempt.ts';
import type { DeliveryDocument } from '../model/delivery.ts';
import type { EventToAttempt } from '../model/event.ts';
import { turnOf } from '../model/partition.ts';
import type { WebhookDocument } from '../model/webhook.ts';
import { timeOfId } from '../platform/ids.ts';
import { instruments } from '../telemetry/instruments.ts';

interface Made {
  event: EventToAttempt;
  webhook: Pick<WebhookDocument, '_id' | 'ratePerSecond'>;
  /** As it was before. */
  delivery: DeliveryDocument | null;
  attempt: Attempt;
  /** When only a permit was missing. */
  readyAt: Date;
}

// A shorter wait for a permit is not worth a word.
const permitWaitMsMin = 50;

/** Counts an attempt, and measures it and what came before it. */
export function measureAttempt(made: Made): void {
  const { attempt: done, delivery, event, readyAt } = made;
  const { at, ms, state, errorClass } = done;
  const attempt = done.n < 4 ? done.n : '4+';
  const error = errorClass === null ? {} : { 'error.type': errorClass };
  instruments.attempts.add(1, { attempt, state, ...error });
  instruments.attemptDuration.record(ms.total / 1_000, error);
  for (const phase of ['dns', 'connect', 'tls', 'firstByte'] as const) {
    const phaseMs = ms[phase];
    if (phaseMs !== undefined) instruments.attemptPhaseDuration.record(phaseMs / 1_000, { phase });
  }
  const dueAt = dueOf(made);
  if (dueAt !== null) instruments.queueDuration.record(secondsBetween(dueAt, readyAt), { attempt });
  const hasWaited = dueAt === null || at.getTime() - readyAt.getTime() >= permitWaitMsMin;
  const wasSentAgain = delivery !== null && delivery.requeuedAt !== null;
  if (state !== 'delivered' || wasSentAgain) return;
  const seconds = secondsBetween(timeOfId(event._id), at) + ms.total / 1_000;
  instruments.changeToReceipt.record(seconds, {
    attempt,
    ...(hasWaited ? { waited: 'yes' } : {}),
  });
}

/** Returns when an attempt was due that nothing but the service can have delayed; else null. */
export function dueOf({
  event,
  webhook,
  delivery,
}: Omit<Made, 'attempt' | 'readyAt'>): Date | null {
  if (webhook.ratePerSecond !== null || turnOf(event, webhook._id) !== null) return null;
  if (delivery === null) return timeOfId(event._id);
  return delivery.jobUid === null && delivery.state === 'retrying' ? delivery.nextAttemptAt : null;
}

function secondsBetween(from: Date, to: Date): number {
  return Math.max(0, to.getTime() - from.getTime()) / 1_000;
}
