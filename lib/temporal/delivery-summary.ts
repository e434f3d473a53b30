import { attemptLimits, dispatchLimits } from '../limits.ts';
import type { DeliveryOutcome } from '../model/delivery-outcome.ts';
import type { DeliverySummary, ShownDelivery } from './messages.ts';

const { idsPerSearchAttributeMax } = dispatchLimits;
const { attemptsShownMax, deliveriesShownMax } = attemptLimits;

const goodStates = new Set(['delivered', 'held', 'continued', 'cancelled']);

/** Checks whether a delivery has failed for good; one still to be sent `later` at the end of its workflow has failed, too. */
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
    continued: count('continued'),
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
    continued: before.continued + after.continued,
    cancelled: before.cancelled + after.cancelled,
    failedCount: before.failedCount + after.failedCount,
    shown: choose([...before.shown, ...after.shown]),
  };
}

/** Returns the state that an ended workflow shows; null without deliveries. */
export function stateOf(summary: DeliverySummary): string | null {
  const { deliveries, failedCount, continued, held, delivered } = summary;
  if (deliveries === 0) return null;
  if (failedCount > 0) return failedCount === deliveries ? 'failed' : 'partial';
  if (continued > 0) return 'continued';
  if (held > 0) return 'held';
  return delivered > 0 ? 'delivered' : 'cancelled';
}

function toShown(outcome: DeliveryOutcome): ShownDelivery {
  const { eventId, webhookUid, state, host, attempts } = outcome;
  const continuesIn = outcome.state === 'continued' ? outcome.continuesIn : null;
  return {
    eventId,
    webhookUid,
    state,
    ...(continuesIn === null ? {} : { continuesIn }),
    ...(host === null ? {} : { host }),
    ...(attempts === undefined ? {} : { attempts }),
  };
}

// 0: failed, 1: retried or sent by another workflow, 2: others.
function rankOf(delivery: ShownDelivery): number {
  if (hasFailed(delivery)) return 0;
  const isRetried = (delivery.attempts?.at(-1)?.n ?? 0) > 1;
  return isRetried || delivery.continuesIn !== undefined ? 1 : 2;
}

function choose(deliveries: readonly ShownDelivery[]): ShownDelivery[] {
  if (deliveries.length < 2) return [...deliveries];
  const ofRank = (rank: number): ShownDelivery[] =>
    deliveries.filter((each) => rankOf(each) === rank);
  const first = [...ofRank(0), ...ofRank(1)].slice(0, idsPerSearchAttributeMax);
  const shown = [...first, ...ofRank(2).slice(0, deliveriesShownMax)];
  let attemptsLeft = attemptsShownMax;
  return shown.map((delivery) => {
    const { attempts = [] } = delivery;
    attemptsLeft -= attempts.length;
    return attemptsLeft >= 0 || attempts.length < 2
      ? delivery
      : { ...delivery, attempts: attempts.slice(-1) };
  });
}
