// What operators see of a workflow's deliveries: its search attributes, and how it ends.
import { ApplicationFailureCategory } from '@temporalio/common';
import { ApplicationFailure, upsertSearchAttributes } from '@temporalio/workflow';
import type { DeliverySummary } from '../lib/temporal/messages.ts';
import { idsPerSearchAttributeMax } from '../lib/temporal/names.ts';
import {
  deliveryStateAttribute,
  failingWebhookUidsAttribute,
} from '../lib/temporal/search-attributes.ts';

/** Shows which webhooks did not take a first attempt. */
export function showFailing(webhookUids: readonly string[]): void {
  upsertSearchAttributes([
    { key: deliveryStateAttribute, value: 'retrying' },
    { key: failingWebhookUidsAttribute, value: webhookUids.slice(0, idsPerSearchAttributeMax) },
  ]);
}

/** Gives the summary, with its state shown; throws `DeliveriesFailed` when a delivery ended badly. */
export function endWith(summary: DeliverySummary): DeliverySummary {
  upsertSearchAttributes([{ key: deliveryStateAttribute, value: stateOf(summary) }]);
  if (summary.failedCount === 0) return summary;
  throw ApplicationFailure.create({
    type: 'DeliveriesFailed',
    message: `${summary.failedCount} of ${summary.deliveries} deliveries failed`,
    nonRetryable: true,
    // Receivers that refuse are no fault of ours: no warning in our log, no error in our metrics.
    category: ApplicationFailureCategory.BENIGN,
    details: [summary],
  });
}

function stateOf(summary: DeliverySummary): string {
  if (summary.failedCount > 0) {
    return summary.failedCount === summary.deliveries ? 'failed' : 'partial';
  }
  if (summary.waiting > 0) return 'waiting';
  return summary.held > 0 ? 'held' : 'delivered';
}
