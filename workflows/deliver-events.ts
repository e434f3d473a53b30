import { isCancellation } from '@temporalio/workflow';
import { attemptFirst, retryDelivery } from './activity-options.ts';
import { attemptLimits } from '../lib/limits.ts';
import type { DeliveryOutcome } from '../lib/model/delivery-outcome.ts';
import type { DeliverEventsInput, DeliverySummary } from '../lib/temporal/messages.ts';
import { endWith, showFailing } from './show-deliveries.ts';
import { chunk, summarizeOutcomes } from './summarize-outcomes.ts';

/**
 * Delivers events of one application: first attempts together, then one durable retry a failing delivery. Fails with
 * `DeliveriesFailed` when a delivery failed for good, so that operators find it under Failed.
 */
export async function deliverEvents(input: DeliverEventsInput): Promise<DeliverySummary> {
  const { appUid, jobUid } = input;
  const deliveries = input.events.flatMap(({ eventId, webhookUids }) =>
    webhookUids.map((webhookUid) => ({ eventId, webhookUid })),
  );
  const first = await Promise.all(
    chunk(deliveries, attemptLimits.firstAttemptsPerActivityMax).map((part) =>
      attemptFirst.executeWithOptions({ summary: `first attempt, ${describe(part)}` }, [
        { appUid, jobUid, deliveries: part },
      ]),
    ),
  );
  const outcomes = first.flat();
  const failing = outcomes.filter(({ state }) => state === 'retrying');
  const failingUids = [...new Set(failing.map((outcome) => outcome.webhookUid))];
  if (failing.length > 0) showFailing(failingUids);
  const retried = await Promise.all(failing.map((outcome) => retry(input, outcome)));
  const settled = outcomes.filter(({ state }) => state !== 'retrying');
  return endWith(summarizeOutcomes([...settled, ...retried]), failingUids);
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

function describe(deliveries: readonly { webhookUid: string }[]): string {
  const [only] = deliveries;
  return deliveries.length === 1 && only ? only.webhookUid : `${deliveries.length} deliveries`;
}
