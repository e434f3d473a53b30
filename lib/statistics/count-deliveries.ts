import { type Attempt, isRequeue } from '../model/attempt.ts';
import type { DeliveryDocument } from '../model/delivery.ts';
import { isOperationsEvent } from '../model/event-name.ts';
import type { CountedOutcome, Counts } from '../model/statistics.ts';
import { timeOfId } from '../platform/ids.ts';
import { addDuration, addHistogram } from './histogram.ts';

const deliveryFields = {
  appUid: 1,
  webhookUid: 1,
  eventId: 1,
  event: 1,
  state: 1,
  requeuedAt: 1,
  updatedAt: 1,
} as const;

export const countedFields = {
  _id: 0,
  ...deliveryFields,
  'attempts.at': 1,
  'attempts.trigger': 1,
  'attempts.state': 1,
  'attempts.ms.total': 1,
} as const;

export type CountedDelivery = Pick<DeliveryDocument, keyof typeof deliveryFields> & {
  attempts: (Pick<Attempt, 'at' | 'trigger' | 'state'> & { ms: Pick<Attempt['ms'], 'total'> })[];
};

/** The end of an attempt, or a cancellation; each is counted once. */
interface Fact {
  atMs: number;
  outcome: CountedOutcome;
  attemptMs: number | null;
  changeToReceiptMs: number | null;
}

/** Returns the countable facts of a delivery: the ends of its kept attempts, and its cancellation. */
export function factsOf(delivery: CountedDelivery): Fact[] {
  const facts = delivery.attempts.map((attempt): Fact => {
    const { at, state, ms } = attempt;
    const atMs = at.getTime() + ms.total;
    const isCounted = state === 'delivered' && !wasRequeued(delivery, attempt);
    const changeToReceiptMs = isCounted ? atMs - timeOfId(delivery.eventId).getTime() : null;
    return { atMs, outcome: state, attemptMs: ms.total, changeToReceiptMs };
  });
  if (delivery.state !== 'cancelled') return facts;
  const atMs = delivery.updatedAt.getTime();
  return [...facts, { atMs, outcome: 'cancelled', attemptMs: null, changeToReceiptMs: null }];
}

// True after a resend, replay or sync, including its retries: days may lie between the change and its receipt.
function wasRequeued(
  { requeuedAt }: CountedDelivery,
  { at, trigger }: Pick<Attempt, 'at' | 'trigger'>,
): boolean {
  return isRequeue(trigger) || (requeuedAt !== null && requeuedAt <= at);
}

/** Returns the owners whose statistics count a delivery. Operations events are not changes of resources. */
export function ownersOf({ appUid, webhookUid, event }: CountedDelivery): string[] {
  return isOperationsEvent(event) ? [webhookUid] : [appUid, webhookUid];
}

export function emptyCounts(): Counts {
  return { outcomes: {}, attemptMs: {}, changeToReceiptMs: {} };
}

export function addFact(counts: Counts, fact: Fact): void {
  const { outcome, attemptMs, changeToReceiptMs } = fact;
  counts.outcomes[outcome] = (counts.outcomes[outcome] ?? 0) + 1;
  if (attemptMs !== null) addDuration(counts.attemptMs, attemptMs);
  if (changeToReceiptMs !== null) addDuration(counts.changeToReceiptMs, changeToReceiptMs);
}

export function addCounts(total: Counts, more: Partial<Counts>): void {
  for (const [outcome, count] of Object.entries(more.outcomes ?? {})) {
    const known = outcome as CountedOutcome;
    total.outcomes[known] = (total.outcomes[known] ?? 0) + count;
  }
  addHistogram(total.attemptMs, more.attemptMs ?? {});
  addHistogram(total.changeToReceiptMs, more.changeToReceiptMs ?? {});
}
