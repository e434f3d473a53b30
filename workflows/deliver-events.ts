import { isCancellation } from '@temporalio/workflow';
import { attemptFirst, retryDelivery } from './activity-options.ts';
import { attemptLimits } from '../lib/limits.ts';
import type { DeliveryOutcome } from '../lib/model/delivery-outcome.ts';
import { addSummaries, summarizeOutcomes } from '../lib/temporal/delivery-summary.ts';
import type { DeliverEventsInput, DeliverySummary } from '../lib/temporal/messages.ts';
import { endWith, showFailing } from './show-deliveries.ts';

/**
 * Delivers events of one application: first attempts together, then one durable retry a failing delivery. Fails with
 * `DeliveriesFailed` when a delivery failed for good, so that operators find it under Failed.
 */
export async function deliverEvents(input: DeliverEventsInput): Promise<DeliverySummary> {
  const { appUid, jobUid } = input;
  const deliveries = input.events.flatMap(({ eventId, webhookUids }) =>
    webhookUids.map((webhookUid) => ({ eventId, webhookUid })),
  );
  const first = await all(
    chunk(deliveries, attemptLimits.firstAttemptsPerActivityMax).map((part) =>
      attemptFirst({ appUid, jobUid, deliveries: part }),
    ),
  );
  const settled = first
    .map((attempts) => attempts.settled)
    .reduce(addSummaries, summarizeOutcomes([]));
  const retrying = first.flatMap((attempts) => attempts.retrying);
  if (retrying.length === 0) return endWith(settled, []);
  const failingUids = [...new Set(retrying.map((outcome) => outcome.webhookUid))];
  showFailing(failingUids);
  const retried = await Promise.all(retrying.map((outcome) => retry(input, outcome)));
  return endWith(addSummaries(settled, summarizeOutcomes(retried)), failingUids);
}

// The SDK traces each promise, which costs as much as all else here: of one alone none more is made.
async function all<T>(promises: readonly Promise<T>[]): Promise<T[]> {
  const [only] = promises;
  return only !== undefined && promises.length === 1 ? [await only] : Promise.all(promises);
}

async function retry(
  { appUid, jobUid }: DeliverEventsInput,
  outcome: DeliveryOutcome,
): Promise<DeliveryOutcome> {
  const { eventId, webhookUid } = outcome;
  const host = outcome.host === null ? '' : ` at ${outcome.host}`;
  const summary = `retries to ${webhookUid}${host}`;
  const options = { activityId: `${eventId}/${webhookUid}`, summary };
  try {
    return await retryDelivery.executeWithOptions(options, [
      { appUid, jobUid, eventId, webhookUid },
    ]);
  } catch (error) {
    // Any other fault ends this delivery alone.
    if (isCancellation(error)) throw error;
    return outcome;
  }
}

function chunk<T>(items: readonly T[], size: number): T[][] {
  const parts: T[][] = [];
  for (let start = 0; start < items.length; start += size) {
    parts.push(items.slice(start, start + size));
  }
  return parts;
}
