// The workflow of an event: first attempts together, then one durable retry a failing delivery.
import { ApplicationFailureCategory } from '@temporalio/common';
import { ApplicationFailure, isCancellation, upsertSearchAttributes } from '@temporalio/workflow';
import type { DeliveryOutcome } from '../lib/delivery/outcome.ts';
import { firstAttemptsPerActivityMax } from '../lib/temporal/messages.ts';
import type { DeliverEventsInput, DeliverySummary } from '../lib/temporal/messages.ts';
import { idsPerSearchAttributeMax } from '../lib/temporal/names.ts';
import {
  deliveryStateAttribute,
  failingWebhookUidsAttribute,
} from '../lib/temporal/search-attributes.ts';
import { attemptFirst, retryDelivery } from './activity-options.ts';
import { chunk, summarizeOutcomes } from './summarize-outcomes.ts';

/**
 * Delivers events of one application to their webhooks. Completes with a summary; fails with
 * `DeliveriesFailed` when any delivery ended badly, so that operators find it under Failed.
 */
export async function deliverEvents(input: DeliverEventsInput): Promise<DeliverySummary> {
  const { appUid, redeliveryUid } = input;
  const deliveries = input.events.flatMap(({ eventId, webhookUids }) =>
    webhookUids.map((webhookUid) => ({ eventId, webhookUid })),
  );
  const first = await Promise.all(
    chunk(deliveries, firstAttemptsPerActivityMax).map((part) =>
      attemptFirst.executeWithOptions({ summary: `first attempt, ${describe(part)}` }, [
        { appUid, redeliveryUid, deliveries: part },
      ]),
    ),
  );
  const outcomes = first.flat();
  const failing = outcomes.filter((outcome) => outcome.state === 'retrying');
  showFailing(failing);
  const retried = await Promise.all(failing.map((outcome) => retry(input, outcome)));

  const settled = outcomes.filter((outcome) => outcome.state !== 'retrying');
  const summary = summarizeOutcomes([...settled, ...retried]);
  upsertSearchAttributes([{ key: deliveryStateAttribute, value: stateOf(summary) }]);
  if (summary.failedCount > 0) {
    throw ApplicationFailure.create({
      type: 'DeliveriesFailed',
      message: `${summary.failedCount} of ${summary.deliveries} deliveries failed`,
      nonRetryable: true,
      // Receivers that refuse are no fault of ours: no warning in our log, no error in our metrics.
      category: ApplicationFailureCategory.BENIGN,
      details: [summary],
    });
  }
  return summary;
}

async function retry(
  { appUid, redeliveryUid }: DeliverEventsInput,
  outcome: DeliveryOutcome,
): Promise<DeliveryOutcome> {
  const { eventId, webhookUid } = outcome;
  const options = { activityId: `${eventId}/${webhookUid}`, summary: `retries to ${webhookUid}` };
  try {
    return await retryDelivery.executeWithOptions(options, [
      { appUid, redeliveryUid, eventId, webhookUid },
    ]);
  } catch (error) {
    // A cancelled workflow stops; anything else is this delivery's own end and no other's.
    if (isCancellation(error)) throw error;
    return outcome;
  }
}

function showFailing(failing: readonly DeliveryOutcome[]): void {
  if (failing.length === 0) return;
  const webhookUids = [...new Set(failing.map((outcome) => outcome.webhookUid))];
  upsertSearchAttributes([
    { key: deliveryStateAttribute, value: 'retrying' },
    {
      key: failingWebhookUidsAttribute,
      value: webhookUids.slice(0, idsPerSearchAttributeMax),
    },
  ]);
}

function stateOf(summary: DeliverySummary): string {
  if (summary.failedCount === summary.deliveries) return 'failed';
  if (summary.failedCount > 0) return 'partial';
  return summary.held > 0 ? 'held' : 'delivered';
}

function describe(deliveries: readonly { webhookUid: string }[]): string {
  const [only] = deliveries;
  return deliveries.length === 1 && only ? only.webhookUid : `${deliveries.length} deliveries`;
}
