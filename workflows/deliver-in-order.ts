import {
  condition,
  continueAsNew,
  defineSignal,
  setHandler,
  upsertSearchAttributes,
} from '@temporalio/workflow';
import { attemptInOrder } from './activity-options.ts';
import { fairPriority } from '../lib/temporal/fair-priority.ts';
import type { OpenOutcome } from '../lib/model/delivery-outcome.ts';
import type { PartitionKey } from '../lib/model/partition.ts';
import { addSummaries, summarizeOutcomes } from '../lib/temporal/delivery-summary.ts';
import { describeAttempt } from '../lib/temporal/describe-attempt.ts';
import type { DeliverInOrderInput, DeliverySummary, ShownStep } from '../lib/temporal/messages.ts';
import { wakeSignalName } from '../lib/temporal/names.ts';
import { endWorkflow, failureDetailsOf, showingCancellation } from './show-deliveries.ts';
import { attributesOf, sharedAttributes, showDetails } from './show-partition.ts';

// Temporal accepts 10,000 signals and 51,200 events per run; a step is about ten events.
const stepsPerRunMax = 500;
const signalsPerRunMax = 500;

const wakeSignal = defineSignal(wakeSignalName);

/**
 * Delivers the events of a partition in order until none waits or the head is held. The order is stored in the
 * database; the signal only reports a change. Fails with `DeliveriesFailed` if a delivery failed for good.
 */
export async function deliverInOrder(input: DeliverInOrderInput): Promise<DeliverySummary> {
  return showingCancellation(deliver(input));
}

async function deliver(input: DeliverInOrderInput): Promise<DeliverySummary> {
  const { before, ...partition } = input;
  let summary = before ?? summarizeOutcomes([]);
  let signals = 0;
  setHandler(wakeSignal, () => {
    signals += 1;
  });
  let head: OpenOutcome | null = null;
  let shown = '';
  // A run takes at least one step, however many signals it starts with.
  for (let step = 0; step < stepsPerRunMax; step += 1) {
    if (step > 0 && signals >= signalsPerRunMax) break;
    const seen = signals;
    const taken = await takeStep(partition, head);
    ({ head } = taken);
    summary = addSummaries(summary, taken.settled);
    showDetails(summary, taken, partition);
    if (taken.next === 'end' && signals === seen) {
      return endWorkflow(summary, { others: sharedAttributes(taken) });
    }
    const attributes = attributesOf(taken, partition.webhookUid);
    const isWaiting = typeof taken.next === 'object';
    // Attributes shown during a wait may be outdated now.
    if ((isWaiting || shown !== '') && JSON.stringify(attributes) !== shown) {
      shown = JSON.stringify(attributes);
      upsertSearchAttributes(attributes);
    }
    if (taken.next === 'end' || taken.next === 'more') continue;
    await condition(() => signals > seen, taken.next.waitMs);
  }
  return continueAsNew<typeof deliverInOrder>({ ...partition, before: summary });
}

async function takeStep(partition: PartitionKey, head: OpenOutcome | null): Promise<ShownStep> {
  const { appUid, webhookUid } = partition;
  const summary =
    head === null || head.attemptCount === 0
      ? `next events to ${webhookUid}`
      : `${head.eventId} to ${webhookUid}, after ${describeAttempt(head)}`;
  try {
    return await attemptInOrder.executeWithOptions({ summary, ...fairPriority(appUid) }, [
      partition,
    ]);
  } catch (error) {
    const step = failureDetailsOf(error) as ShownStep | null;
    if (step === null) throw error;
    return step;
  }
}
