import { ApplicationFailureCategory } from '@temporalio/common';
import { ApplicationFailure, upsertSearchAttributes } from '@temporalio/workflow';
import type { DeliverySummary } from '../lib/temporal/messages.ts';
import { dispatchLimits } from '../lib/limits.ts';
import {
  deliveryStateAttribute,
  failingWebhookUidsAttribute,
} from '../lib/temporal/search-attributes.ts';

const { idsPerSearchAttributeMax } = dispatchLimits;

export function showFailing(webhookUids: readonly string[]): void {
  upsertSearchAttributes([
    { key: deliveryStateAttribute, value: 'retrying' },
    { key: failingWebhookUidsAttribute, value: webhookUids.slice(0, idsPerSearchAttributeMax) },
  ]);
}

// `shownUids`: the webhooks that `showFailing` has shown; those that failed without a retry join them.
export function endWith(summary: DeliverySummary, shownUids: readonly string[]): DeliverySummary {
  const failingUids = new Set([...shownUids, ...summary.failed.map((each) => each.webhookUid)]);
  const value = [...failingUids].slice(0, idsPerSearchAttributeMax);
  upsertSearchAttributes([
    { key: deliveryStateAttribute, value: stateOf(summary) },
    ...(failingUids.size > shownUids.length ? [{ key: failingWebhookUidsAttribute, value }] : []),
  ]);
  if (summary.failedCount === 0) return summary;
  throw ApplicationFailure.create({
    type: 'DeliveriesFailed',
    message: describe(summary),
    nonRetryable: true,
    // A receiver's failure: no warning in our log, no error in our metrics.
    category: ApplicationFailureCategory.BENIGN,
    details: [summary],
  });
}

function describe({ deliveries, failed, failedCount }: DeliverySummary): string {
  const [first] = failed;
  const others = failedCount > 1 ? `, and ${failedCount - 1} more` : '';
  const example =
    first === undefined
      ? ''
      : `: to ${first.webhookUid} ${first.state} after ${first.attemptCount} attempts${others}`;
  return `${failedCount} of ${deliveries} deliveries failed${example}`;
}

function stateOf(summary: DeliverySummary): string {
  if (summary.failedCount > 0) {
    return summary.failedCount === summary.deliveries ? 'failed' : 'partial';
  }
  if (summary.waiting > 0) return 'waiting';
  return summary.held > 0 ? 'held' : 'delivered';
}
