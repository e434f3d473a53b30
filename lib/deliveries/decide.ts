// What becomes of a delivery when somebody asks for an attempt at it.
import { timeOfId } from '../platform/ids.ts';
import { isOpen } from '../model/delivery-state.ts';
import type { DeliveryDocument } from '../model/delivery.ts';
import { testEventName } from '../model/event-name.ts';
import type { EventToAttempt } from '../model/event.ts';
import type { WebhookDocument } from '../model/webhook.ts';
import { isSubscribed } from '../webhooks/webhooks.ts';

/** Who asks: the event's own workflow, the page of a job, or the workflow of the delivery's partition. */
export type Asker = { kind: 'event' } | { kind: 'job'; jobUid: string } | { kind: 'partition' };

/**
 * `send`: attempt it now. `hold`: its webhook is paused. `cancel`: it is not to be sent any more.
 * `notYet`: it is not due. `notMine`: it is settled, held, or somebody else's.
 */
export type Decision = 'send' | 'hold' | 'cancel' | 'notYet' | 'notMine';

export interface AttemptFacts {
  asker: Asker;
  /** Null while nothing was recorded of it. */
  delivery: DeliveryDocument | null;
  /** Null when it was removed as too old. */
  event: EventToAttempt | null;
  /** Null when it was deleted. */
  webhook: WebhookDocument | null;
  now: Date;
}

// Temporal's waits between the calls of an activity tick in whole seconds, so a retry up to one second
// early is on time. A partition's workflow waits by a timer of its own.
const dueToleranceMs = 1_000;

/** Decides from what is stored. The delivery document is the truth, and workflows only its alarm clock. */
export function decide({ asker, delivery, event, webhook, now }: AttemptFacts): Decision {
  if (delivery !== null) {
    if (!isOpen(delivery.state) || delivery.state === 'held') return 'notMine';
    if (!isOwner(asker, delivery)) return 'notMine';
    const untilDueMs = (delivery.nextAttemptAt?.getTime() ?? 0) - now.getTime();
    if (untilDueMs > (asker.kind === 'partition' ? 0 : dueToleranceMs)) return 'notYet';
  }
  if (event === null || event.erasedAt !== null || webhook === null) return 'cancel';
  if (isDiscarded(event, delivery, webhook)) return 'cancel';
  // While it is paused its filters may still change.
  if (!webhook.active) return 'hold';
  return isWanted(event, delivery, webhook) ? 'send' : 'cancel';
}

/** A delivery belongs to the job that took it last, else to its event; in a partition both leave its retries to that. */
function isOwner(asker: Asker, { jobUid, partition }: DeliveryDocument): boolean {
  if (asker.kind === 'job') return jobUid === asker.jobUid;
  if (jobUid !== null) return false;
  return asker.kind === 'partition' || partition === null;
}

/** What a resume dropped. What somebody sent again since then is not what it dropped. */
function isDiscarded(
  { _id }: EventToAttempt,
  delivery: DeliveryDocument | null,
  { discardBefore }: WebhookDocument,
): boolean {
  if (discardBefore === null || timeOfId(_id) >= discardBefore) return false;
  return delivery?.requeuedAt == null || delivery.requeuedAt < discardBefore;
}

/** Whether the webhook gets the event as it is now; a test, and what somebody sends it again, it always gets. */
function isWanted(
  event: EventToAttempt,
  delivery: DeliveryDocument | null,
  webhook: WebhookDocument,
): boolean {
  if (event.event === testEventName || delivery?.requeuedAs === 'resend') return true;
  return isSubscribed(webhook, { event: event.event, externalTenantId: event.externalTenantId });
}
