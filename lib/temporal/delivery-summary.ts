import { attemptLimits, dispatchLimits } from '../limits.ts';
import type { DeliveryOutcome } from '../model/delivery-outcome.ts';
import type { AttemptsOfDelivery, DeliverySummary } from './messages.ts';

const { idsPerSearchAttributeMax } = dispatchLimits;

const goodStates = new Set(['delivered', 'held', 'waiting', 'cancelled', 'superseded']);

// A delivery that is still `retrying` at the end of its workflow has failed.
export function summarizeOutcomes(outcomes: readonly DeliveryOutcome[]): DeliverySummary {
  const count = (state: string): number =>
    outcomes.filter((outcome) => outcome.state === state).length;
  const failed = outcomes.filter((outcome) => !goodStates.has(outcome.state));
  return {
    deliveries: outcomes.length,
    delivered: count('delivered'),
    held: count('held'),
    waiting: count('waiting'),
    cancelled: count('cancelled'),
    failed: failed
      .slice(0, idsPerSearchAttributeMax)
      .map(({ eventId, webhookUid, state, attemptCount }) => ({
        eventId,
        webhookUid,
        state,
        attemptCount,
      })),
    failedCount: failed.length,
    ...shown(outcomes.flatMap(withAttempts)),
  };
}

export function addSummaries(before: DeliverySummary, after: DeliverySummary): DeliverySummary {
  return {
    deliveries: before.deliveries + after.deliveries,
    delivered: before.delivered + after.delivered,
    held: before.held + after.held,
    waiting: before.waiting + after.waiting,
    cancelled: before.cancelled + after.cancelled,
    failed: [...before.failed, ...after.failed].slice(0, idsPerSearchAttributeMax),
    failedCount: before.failedCount + after.failedCount,
    ...shown([...(before.attempts ?? []), ...(after.attempts ?? [])]),
  };
}

function withAttempts(outcome: DeliveryOutcome): AttemptsOfDelivery[] {
  const { eventId, webhookUid, state, attempts } = outcome;
  return attempts === undefined ? [] : [{ eventId, webhookUid, state, attempts }];
}

// A delivery is shown with all its attempts or not at all.
function shown(deliveries: readonly AttemptsOfDelivery[]): Pick<DeliverySummary, 'attempts'> {
  let count = 0;
  const attempts = deliveries.filter((delivery) => {
    const fits = count + delivery.attempts.length <= attemptLimits.attemptsShownMax;
    if (fits) count += delivery.attempts.length;
    return fits;
  });
  return attempts.length === 0 ? {} : { attempts };
}
