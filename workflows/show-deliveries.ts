import type { SearchAttributeUpdatePair } from '@temporalio/common';
import {
  ActivityFailure,
  ApplicationFailure,
  isCancellation,
  upsertSearchAttributes,
} from '@temporalio/workflow';
import { hasFailed, stateOf } from '../lib/temporal/delivery-summary.ts';
import { describeResult } from '../lib/temporal/describe-attempt.ts';
import { receiverFailure } from '../lib/temporal/failures.ts';
import type { DeliverySummary } from '../lib/temporal/messages.ts';
import { deliveryFailedType } from '../lib/temporal/names.ts';
import { dispatchLimits } from '../lib/limits.ts';
import {
  deliveryStateAttribute,
  failingWebhookUidsAttribute,
} from '../lib/temporal/search-attributes.ts';

const { idsPerSearchAttributeMax } = dispatchLimits;

/** Returns the search attributes of a workflow that retries deliveries to these webhooks. */
export function retryingTo(webhookUids: readonly string[]): SearchAttributeUpdatePair[] {
  return [
    { key: deliveryStateAttribute, value: 'retrying' },
    { key: failingWebhookUidsAttribute, value: webhookUids.slice(0, idsPerSearchAttributeMax) },
  ];
}

interface Shown {
  /** The failing webhooks already shown; those that failed without a retry are added. */
  failingUids?: readonly string[];
  others?: readonly SearchAttributeUpdatePair[];
}

/** Shows the end of a workflow in its search attributes, and returns its result or throws its failure. */
export function endWorkflow(
  summary: DeliverySummary,
  { failingUids: shownUids = [], others = [] }: Shown,
): DeliverySummary {
  const failed = summary.shown.filter(hasFailed);
  const failingUids = new Set([...shownUids, ...failed.map((each) => each.webhookUid)]);
  const value = [...failingUids].slice(0, idsPerSearchAttributeMax);
  upsertSearchAttributes([
    { key: deliveryStateAttribute, value: stateOf(summary) },
    ...(failingUids.size > shownUids.length ? [{ key: failingWebhookUidsAttribute, value }] : []),
    ...others,
  ]);
  if (summary.failedCount === 0) return summary;
  throw receiverFailure({
    type: 'DeliveriesFailed',
    message: describe(summary),
    nonRetryable: true,
    details: [summary],
  });
}

/** Runs a workflow, and shows a cancellation in its search attributes. */
export async function showingCancellation<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (isCancellation(error)) {
      upsertSearchAttributes([{ key: deliveryStateAttribute, value: 'cancelled' }]);
    }
    throw error;
  }
}

/** Returns the details of a failed delivery that an activity threw; null for any other error. */
export function failureDetailsOf(error: unknown): unknown {
  const cause = error instanceof ActivityFailure ? error.cause : null;
  if (!(cause instanceof ApplicationFailure) || cause.type !== deliveryFailedType) return null;
  return cause.details?.[0] ?? null;
}

function describe({ deliveries, shown, failedCount }: DeliverySummary): string {
  const counts = `${failedCount} of ${deliveries} deliveries failed`;
  const [first] = shown;
  if (first === undefined) return counts;
  const { webhookUid, host, state, attempts = [] } = first;
  const last = attempts.at(-1);
  const at = host === undefined ? '' : ` at ${host}`;
  const after = last === undefined ? '' : ` after attempt ${last.n}: ${describeResult(last)}`;
  const others = failedCount > 1 ? `, and ${failedCount - 1} more` : '';
  return `${counts}: to ${webhookUid}${at} ${state}${after}${others}`;
}
