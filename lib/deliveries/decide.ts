import { timeOfId } from '../platform/ids.ts';
import { type CancelReason, isOpen } from '../model/delivery-state.ts';
import type { Caller } from '../model/caller.ts';
import type { DeliveryToAttempt } from '../model/delivery.ts';
import { testEventName } from '../model/event-name.ts';
import { discardCountOf } from '../model/discards.ts';
import type { EventToAttempt } from '../model/event.ts';
import type { WebhookDocument } from '../model/webhook.ts';
import { isSubscribed, matchesKind } from '../webhooks/subscriptions.ts';

/**
 * `remove`: the event is gone. `notDue`: the next attempt is not due. `notSendable`: settled, held, or owned by another
 * caller. `inFlightElsewhere`: the recording process may be attempting it. `inOrder`: only its partition sends it.
 */
export type Decision =
  'send' | 'remove' | 'notDue' | 'notSendable' | 'inFlightElsewhere' | 'inOrder' | Unsent;

/** The state to record instead of an attempt. */
export type Unsent = { state: 'held' } | { state: 'cancelled'; cancelReason: UnsentReason };

type UnsentReason = Exclude<CancelReason, 'expired' | 'abandoned' | 'skipped'>;

export interface AttemptFacts {
  caller: Caller;
  delivery: DeliveryToAttempt | null;
  event: EventToAttempt | null;
  webhook: WebhookDocument | null;
  now: Date;
  processUid: string;
}

/** Decides what to do with a delivery. The stored state decides; workflows only provide the timers (docs/adr/0002). */
export function decide(facts: AttemptFacts): Decision {
  const { caller, delivery, event, webhook, now } = facts;
  if (delivery !== null) {
    if (!isOpen(delivery.state) || delivery.state === 'held') return 'notSendable';
    if (!isOwner(caller, delivery)) return 'notSendable';
    if (delivery.nextAttemptAt !== null && delivery.nextAttemptAt > now) return 'notDue';
  }
  if (isInFlightElsewhere(facts)) return 'inFlightElsewhere';
  if (event === null) return 'remove';
  if (event.erasedAt !== null) return cancelled('erased');
  if (webhook === null) return cancelled('webhook_deleted');
  if (isDiscarded(event, delivery, webhook)) return cancelled('discarded');
  // Filters are checked after the pause, because they may change until then.
  if (!webhook.active) return { state: 'held' };
  if (!isWanted(event, delivery, webhook)) return cancelled('unsubscribed');
  return caller.kind === 'event' && isInOrder(event, webhook) ? 'inOrder' : 'send';
}

function isInOrder({ order }: EventToAttempt, { _id }: WebhookDocument): boolean {
  return order.some(({ webhookUid }) => webhookUid === _id);
}

/** Checks whether a decision ends a delivery without an attempt, which must not be based on a stale read. */
export function isFinal(decision: Decision): boolean {
  if (typeof decision === 'object') return decision.state === 'cancelled';
  return decision === 'remove' || decision === 'notSendable';
}

function cancelled(cancelReason: UnsentReason): Unsent {
  return { state: 'cancelled', cancelReason };
}

// The owner is the last job that took the delivery; otherwise its event, or its partition for ordered retries.
function isOwner(caller: Caller, { jobUid, partition }: DeliveryToAttempt): boolean {
  if (caller.kind === 'job') return jobUid === caller.jobUid;
  if (jobUid !== null) return false;
  return caller.kind === 'partition' || partition === null;
}

// Partitions are excluded: their lease already ensures that only one process sends.
function isInFlightElsewhere({
  caller,
  delivery,
  event,
  webhook,
  now,
  processUid,
}: AttemptFacts): boolean {
  if (delivery !== null || webhook === null || caller.kind === 'partition') return false;
  if (!event?.firstAttempt) return false;
  const { by, until } = event.firstAttempt;
  return by !== processUid && now < until;
}

// True for a delivery that was discarded and not requeued since. Records without a count are older than the first
// discard, or come from a process of an earlier version; those are compared by time.
function isDiscarded(
  { _id, seenDiscards }: EventToAttempt,
  delivery: DeliveryToAttempt | null,
  { _id: webhookUid, discardCount = 0, discardBefore }: WebhookDocument,
): boolean {
  if (discardCount === 0 || discardBefore === null) return false;
  const seen = delivery?.discardCount ?? discardCountOf(seenDiscards, webhookUid);
  if (seen !== undefined) return seen < discardCount;
  const recordedAt = delivery?.requeuedAt ?? timeOfId(_id);
  return recordedAt < discardBefore;
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
