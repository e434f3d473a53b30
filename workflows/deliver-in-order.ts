import type { SearchAttributeUpdatePair } from '@temporalio/common';
import {
  condition,
  continueAsNew,
  defineSignal,
  setCurrentDetails,
  setHandler,
  upsertSearchAttributes,
} from '@temporalio/workflow';
import { attemptInOrder } from './activity-options.ts';
import { fairPriority } from '../lib/temporal/fair-priority.ts';
import type { OpenOutcome } from '../lib/model/delivery-outcome.ts';
import type { PartitionKey } from '../lib/model/partition.ts';
import { describeDeliveries } from '../lib/temporal/current-details.ts';
import { addSummaries, summarizeOutcomes } from '../lib/temporal/delivery-summary.ts';
import { describeAttempt } from '../lib/temporal/describe-attempt.ts';
import type { DeliverInOrderInput, DeliverySummary, ShownStep } from '../lib/temporal/messages.ts';
import { wakeSignalName } from '../lib/temporal/names.ts';
import {
  deliveryStateAttribute,
  eventIdsAttribute,
  eventTypeAttribute,
  externalTenantIdAttribute,
} from '../lib/temporal/search-attributes.ts';
import {
  endWorkflow,
  failureDetailsOf,
  retryingTo,
  showingCancellation,
} from './show-deliveries.ts';

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

// Without waiting events, the last attributes stay, so that searches still find them.
function attributesOf(step: ShownStep, webhookUid: string): SearchAttributeUpdatePair[] {
  const { head, waiting } = step;
  return [
    ...(waiting.length === 0 ? [] : [{ key: eventIdsAttribute, value: waiting }]),
    ...sharedAttributes(step),
    ...(head !== null && head.attemptCount > 0
      ? retryingTo([webhookUid])
      : [{ key: deliveryStateAttribute, value: 'delivering' }]),
  ];
}

function sharedAttributes(step: ShownStep): SearchAttributeUpdatePair[] {
  const { waiting, settled, eventType, externalTenantId } = step;
  if (waiting.length + settled.deliveries === 0) return [];
  return [
    { key: eventTypeAttribute, value: eventType },
    { key: externalTenantIdAttribute, value: externalTenantId },
  ];
}

function showDetails(
  summary: DeliverySummary,
  { head, waiting }: ShownStep,
  { webhookUid }: PartitionKey,
): void {
  const behind = waiting
    .filter((eventId) => eventId !== head?.eventId)
    .map((eventId) => ({ eventId, webhookUid, state: 'waiting' }) as const);
  setCurrentDetails(describeDeliveries(summary, head === null ? behind : [head, ...behind]));
}
