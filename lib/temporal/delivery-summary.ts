import { attemptLimits, dispatchLimits } from '../limits.ts';
import type { DeliveryOutcome } from '../model/delivery-outcome.ts';
import type { DeliverySummary, ShownDelivery } from './messages.ts';

const { idsPerSearchAttributeMax } = dispatchLimits;
const { attemptsShownMax, deliveriesShownMax } = attemptLimits;

const goodStates = new Set(['delivered', 'held', 'waiting', 'cancelled', 'superseded']);

/** Checks whether a delivery has failed for good; one still `retrying` at the end of its workflow has failed, too. */
export function hasFailed({ state }: Pick<DeliveryOutcome, 'state'>): boolean {
  return !goodStates.has(state);
}

/** Summarizes ended deliveries; unless `isEachShown`, those that succeeded at the first attempt are only counted. */
export function summarizeOutcomes(
  outcomes: readonly DeliveryOutcome[],
  isEachShown = false,
): DeliverySummary {
  const count = (state: string): number =>
    outcomes.filter((outcome) => outcome.state === state).length;
  const shown = outcomes.map(toShown).filter((each) => isEachShown || rankOf(each) < 2);
  return {
    deliveries: outcomes.length,
    delivered: count('delivered'),
    held: count('held'),
    waiting: count('waiting'),
    cancelled: count('cancelled'),
    failedCount: outcomes.filter(hasFailed).length,
    shown: choose(shown),
  };
}

export function addSummaries(before: DeliverySummary, after: DeliverySummary): DeliverySummary {
  return {
    deliveries: before.deliveries + after.deliveries,
    delivered: before.delivered + after.delivered,
    held: before.held + after.held,
    waiting: before.waiting + after.waiting,
    cancelled: before.cancelled + after.cancelled,
    failedCount: before.failedCount + after.failedCount,
    shown: choose([...before.shown, ...after.shown]),
  };
}

function toShown({ eventId, webhookUid, state, host, attempts }: DeliveryOutcome): ShownDelivery {
  return {
    eventId,
    webhookUid,
    state,
    ...(host === null ? {} : { host }),
    ...(attempts === undefined ? {} : { attempts }),
  };
}

// 0: failed, 1: retried, 2: others.
function rankOf(delivery: ShownDelivery): number {
  if (hasFailed(delivery)) return 0;
  return (delivery.attempts?.at(-1)?.n ?? 0) > 1 ? 1 : 2;
}

function choose(deliveries: readonly ShownDelivery[]): ShownDelivery[] {
  if (deliveries.length < 2) return [...deliveries];
  const ofRank = (rank: number): ShownDelivery[] =>
    deliveries.filter((each) => rankOf(each) === rank);
  const failedOrRetried = [...ofRank(0), ...ofRank(1)].slice(0, idsPerSearchAttributeMax);
  const shown = [...failedOrRetried, ...ofRank(2).slice(0, deliveriesShownMax)];
  let attemptsLeft = attemptsShownMax;
  return shown.map((delivery) => {
    const { attempts = [] } = delivery;
    attemptsLeft -= attempts.length;
    return attemptsLeft >= 0 || attempts.length < 2
      ? delivery
      : { ...delivery, attempts: attempts.slice(-1) };
  });
}
