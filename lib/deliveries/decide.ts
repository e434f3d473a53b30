import { isOpen } from '../model/delivery-state.ts';
import { type CancelReason } from '../model/cancel-reason.ts';
import type { DeliveryToAttempt } from '../model/delivery.ts';
import type { Ending } from '../model/delivery-outcome.ts';
import { testEventName } from '../model/event-name.ts';
import { discardCountOf } from '../model/discards.ts';
import { nextWorkflowId } from '../temporal/names.ts';
import type { EventToAttempt } from '../model/event.ts';
import type { WebhookDocument } from '../model/webhook.ts';
import { isSubscribed, matchesKind } from '../webhooks/subscriptions.ts';

/** The caller: the workflow of the event, of a job's page, or of the partition. */
export type AttemptCaller =
  { kind: 'event' } | { kind: 'job'; jobUid: string } | { kind: 'partition' };

/** Attempt the delivery, record that it is not sent, leave it as it is, or remove it, because its event is gone. */
export type Decision =
  | { kind: 'send' | 'remove' }
  | { kind: 'record'; unsent: Unsent }
  | { kind: 'leave'; ending: Ending };

/** The state to record instead of an attempt. `pending`: it waits for its turn in a partition. */
export type Unsent =
  { state: 'held' | 'pending' } | { state: 'cancelled'; cancelReason: UnsentReason };

type UnsentReason = Exclude<CancelReason, 'expired' | 'abandoned' | 'skipped'>;

export interface AttemptFacts {
  caller: AttemptCaller;
  delivery: DeliveryToAttempt | null;
  event: EventToAttempt | null;
  webhook: WebhookDocument | null;
  now: Date;
  processUid: string;
}

/** Decides what to do with a delivery. The stored state decides; workflows only provide the timers (docs/adr/0002). */
export function decide(facts: AttemptFacts): Decision {
  const { caller, delivery, event, webhook, now } = facts;
  const ending = delivery === null ? claimEnding(facts) : endingOf(delivery, caller, now);
  if (ending !== null) return { kind: 'leave', ending };
  if (event === null) return { kind: 'remove' };
  if (event.erasedAt !== null) return cancelled('erased');
  if (webhook === null) return cancelled('webhook_deleted');
  if (isDiscarded(event, delivery, webhook)) return cancelled('discarded');
  // Filters are checked after the pause, because they may change until then.
  if (!webhook.active) return { kind: 'record', unsent: { state: 'held' } };
  if (!isWanted(event, delivery, webhook)) return cancelled('unsubscribed');
  const isInOrder = event.order.some(({ webhookUid }) => webhookUid === webhook._id);
  const isLeft = caller.kind === 'event' && isInOrder;
  return isLeft ? { kind: 'record', unsent: { state: 'pending' } } : { kind: 'send' };
}

/** The fields of a delivery that say who sends it next, and when. */
export type Standing = Pick<
  DeliveryToAttempt,
  'state' | 'jobUid' | 'jobPage' | 'partition' | 'nextAttemptAt' | 'isRateLimited'
>;

/** Returns how a call about a delivery as stored ends, or null if the caller may attempt it now. */
export function endingOf(delivery: Standing, caller: AttemptCaller, now: Date): Ending | null {
  const { state, nextAttemptAt, isRateLimited } = delivery;
  if (!isOpen(state)) return { state };
  if (!isOwner(caller, delivery))
    return { state: 'continued', continuesIn: nextWorkflowId(delivery) };
  if (state === 'held') return { state };
  if (nextAttemptAt === null || nextAttemptAt <= now) return null;
  const why = isRateLimited ? 'rateLimited' : 'retry';
  return { state: 'later', why, at: nextAttemptAt.toISOString() };
}

/** Checks whether a decision ends a delivery without an attempt, which must not be based on a stale read. */
export function isFinal(decision: Decision): boolean {
  if (decision.kind === 'record') return decision.unsent.state === 'cancelled';
  return decision.kind === 'leave' ? decision.ending.state !== 'later' : decision.kind === 'remove';
}

function cancelled(cancelReason: UnsentReason): Decision {
  return { kind: 'record', unsent: { state: 'cancelled', cancelReason } };
}

// The owner is the last job that took the delivery; otherwise its event, or its partition for ordered retries.
function isOwner(caller: AttemptCaller, { jobUid, partition, state }: Standing): boolean {
  if (caller.kind === 'job') return jobUid === caller.jobUid;
  if (jobUid !== null) return false;
  // The event's workflow reports held deliveries, also those of partitions.
  return caller.kind === 'partition' || partition === null || state === 'held';
}

// Partitions are excluded: their lease already ensures that only one process sends.
function claimEnding({ caller, event, webhook, now, processUid }: AttemptFacts): Ending | null {
  if (webhook === null || caller.kind === 'partition' || !event?.firstAttempt) return null;
  const { by, until } = event.firstAttempt;
  if (by === processUid || now >= until) return null;
  return { state: 'later', why: 'inFlightElsewhere', at: until.toISOString() };
}

// True for a delivery that was discarded and not requeued since.
function isDiscarded(
  { seenDiscards }: EventToAttempt,
  delivery: DeliveryToAttempt | null,
  { _id: webhookUid, discardCount }: WebhookDocument,
): boolean {
  const seen = delivery?.discardCount ?? discardCountOf(seenDiscards, webhookUid) ?? 0;
  return seen < discardCount;
}

// Tests and resends ignore the webhook's filters.
function isWanted(
  event: EventToAttempt,
  delivery: DeliveryToAttempt | null,
  webhook: WebhookDocument,
): boolean {
  const { event: name, resourceUid, externalTenantId } = event;
  if (name === testEventName) return true;
  const facts = { event: name, resourceUid, externalTenantId };
  return delivery?.requeuedAs === 'resend'
    ? matchesKind(webhook, facts)
    : isSubscribed(webhook, facts);
}
