import type { DeliveryOutcome } from '../lib/model/delivery-outcome.ts';
import type { DeliverySummary } from '../lib/temporal/messages.ts';
import { dispatchLimits } from '../lib/limits.ts';

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
  };
}

export function chunk<T>(items: readonly T[], size: number): T[][] {
  const parts: T[][] = [];
  for (let start = 0; start < items.length; start += size) {
    parts.push(items.slice(start, start + size));
  }
  return parts;
}
