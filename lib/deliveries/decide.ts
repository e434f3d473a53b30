import { timeOfId } from '../platform/ids.ts';
import { type CancelReason, isOpen } from '../model/delivery-state.ts';
import type { Caller } from '../model/caller.ts';
import type { DeliveryToAttempt } from '../model/delivery.ts';
import { testEventName } from '../model/event-name.ts';
import { discardCountOf } from '../model/discards.ts';
import type { EventToAttempt } from '../model/event.ts';
import type { WebhookDocument } from '../model/webhook.ts';
import { isOfKind, isSubscribed } from '../webhooks/subscriptions.ts';

/**
 * `remove`: its event is gone. `notYet`: it is not due. `notMine`: it is settled, held, or somebody else's. `elsewhere`:
 * the process that recorded the event may be making its first attempt. `inOrder`: only its partition sends it.
 */
export type Decision = 'send' | 'remove' | 'notYet' | 'notMine' | 'elsewhere' | 'inOrder' | Unsent;

/** What is recorded instead of an attempt. */
export type Unsent = { state: 'held' } | { state: 'cancelled'; cancelReason: CancelReason };

export interface AttemptFacts {
  caller: Caller;
  delivery: DeliveryToAttempt | null;
  event: EventToAttempt | null;
  webhook: WebhookDocument | null;
  now: Date;
  processUid: string;
}

/** Decides what becomes of a delivery. The stored state decides; workflows are its alarm clock (docs/adr/0002). */
export function decide(facts: AttemptFacts): Decision {
  const { caller, delivery, event, webhook, now } = facts;
  if (delivery !== null) {
    if (!isOpen(delivery.state) || delivery.state === 'held') return 'notMine';
    if (!isOwner(caller, delivery)) return 'notMine';
    if (delivery.nextAttemptAt !== null && delivery.nextAttemptAt > now) return 'notYet';
  }
  if (isElsewhere(facts)) return 'elsewhere';
  if (event === null) return 'remove';
  if (event.erasedAt !== null) return cancelled('erased');
  if (webhook === null) return cancelled('webhook_deleted');
  if (isDiscarded(event, delivery, webhook)) return cancelled('discarded');
  // While it is paused its filters may still change.
  if (!webhook.active) return { state: 'held' };
  if (!isWanted(event, delivery, webhook)) return cancelled('unsubscribed');
  return caller.kind === 'event' && isInOrder(event, webhook) ? 'inOrder' : 'send';
}

function isInOrder({ order }: EventToAttempt, { _id }: WebhookDocument): boolean {
  return order.some(({ webhookUid }) => webhookUid === _id);
}

/** Checks whether a decision leaves a delivery unsent for good, so that it must not follow from a stale read. */
export function isFinal(decision: Decision): boolean {
  if (typeof decision === 'object') return decision.state === 'cancelled';
  return decision === 'remove' || decision === 'notMine';
}

function cancelled(cancelReason: CancelReason): Unsent {
  return { state: 'cancelled', cancelReason };
}

// The owner is the job that took it last, else its event, which in a partition leaves retries to that.
function isOwner(caller: Caller, { jobUid, partition }: DeliveryToAttempt): boolean {
  if (caller.kind === 'job') return jobUid === caller.jobUid;
  if (jobUid !== null) return false;
  return caller.kind === 'partition' || partition === null;
}

// Only one process sends the deliveries of a partition.
function isElsewhere({ caller, delivery, event, webhook, now, processUid }: AttemptFacts): boolean {
  if (delivery !== null || webhook === null || caller.kind === 'partition') return false;
  if (!event?.firstAttempt) return false;
  const { by, until } = event.firstAttempt;
  return by !== processUid && now < until;
}

// Dropped by a resume, and not sent again since. What has no count was recorded before the first discard. Or a process of
// an earlier version, which counts none, recorded it: by its time nothing is dropped that was recorded later.
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

// By the webhook's current filters, which a test and a resend pass.
function isWanted(
  event: EventToAttempt,
  delivery: DeliveryToAttempt | null,
  webhook: WebhookDocument,
): boolean {
  const { event: name, resourceUid, externalTenantId } = event;
  if (name === testEventName) return true;
  const facts = { event: name, resourceUid, externalTenantId };
  return delivery?.requeuedAs === 'resend'
    ? isOfKind(webhook, facts)
    : isSubscribed(webhook, facts);
}
