import {
  condition,
  continueAsNew,
  defineSignal,
  setHandler,
  upsertSearchAttributes,
} from '@temporalio/workflow';
import { attemptInOrder, inTurn } from './activity-options.ts';
import { addSummaries, summarizeOutcomes } from '../lib/temporal/delivery-summary.ts';
import type { DeliverInOrderInput, DeliverySummary } from '../lib/temporal/messages.ts';
import { movedSignalName } from '../lib/temporal/names.ts';
import { eventIdsAttribute } from '../lib/temporal/search-attributes.ts';
import { endWith, showFailing } from './show-deliveries.ts';

// Temporal takes 10,000 signals and 51,200 events a run; a step is some ten events.
const stepsPerRunMax = 500;
const signalsPerRunMax = 500;

const movedSignal = defineSignal(movedSignalName);

/**
 * Delivers the events of a partition in order until none waits, or the head is held. The order is in the database; a
 * signal only reports a change. Fails with `DeliveriesFailed` when a delivery failed for good.
 */
export async function deliverInOrder(input: DeliverInOrderInput): Promise<DeliverySummary> {
  const { before, ...partition } = input;
  let summary = before ?? summarizeOutcomes([]);
  let signals = 0;
  setHandler(movedSignal, () => {
    signals += 1;
  });
  let shown = '';
  // A run takes at least one step, however many signals it starts with.
  for (let step = 0; step < stepsPerRunMax; step += 1) {
    if (step > 0 && signals >= signalsPerRunMax) break;
    const seen = signals;
    const { next, settled, waiting, isFailing } = await attemptInOrder.executeWithOptions(
      inTurn(partition.appUid),
      [partition],
    );
    summary = addSummaries(summary, summarizeOutcomes(settled));
    if (next === 'end' && signals === seen) return endWith(summary, []);
    if (next === 'end' || next === 'more') continue;
    if (waiting.join() !== shown) {
      shown = waiting.join();
      upsertSearchAttributes([{ key: eventIdsAttribute, value: waiting }]);
    }
    if (isFailing) showFailing([partition.webhookUid]);
    await condition(() => signals > seen, next.waitMs);
  }
  return continueAsNew<typeof deliverInOrder>({ ...partition, before: summary });
}
