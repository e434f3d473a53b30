// The workflow of a lane: the events about one resource to one webhook, one after the other.
import {
  ActivityCancellationType,
  CancellationScope,
  condition,
  continueAsNew,
  defineSignal,
  isCancellation,
  patched,
  setHandler,
} from '@temporalio/workflow';
import type { DeliveryOutcome } from '../lib/model/delivery-outcome.ts';
import type { DeliverInOrderInput, DeliverySummary, LaneStep } from '../lib/temporal/messages.ts';
import { wakeSignalName } from '../lib/temporal/names.ts';
import { attemptInOrder, retryDelivery } from './activity-options.ts';
import { LaneView } from './lane-view.ts';
import { endWith, showFailing } from './show-deliveries.ts';
import { addSummaries, summarizeOutcomes } from './summarize-outcomes.ts';

// Temporal takes 10,000 signals and 51,200 events a run; a step is some ten events.
const stepsPerRunMax = 500;
const wakesPerRunMax = 2_000;
// How long the head waits for an earlier event that is on its way outside the lane; a wake ends it.
const behindSecondsMax = 30;

const wakeSignal = defineSignal<[letGo: string[], arrived?: string[]]>(wakeSignalName);

/**
 * Delivers what is in a lane until it is empty. What is in it, and in which order, is in the
 * database; a wake only says that there is something new. Completes with a summary, or fails with
 * `DeliveriesFailed` when a delivery ended badly.
 */
export async function deliverInOrder(input: DeliverInOrderInput): Promise<DeliverySummary> {
  const { before, ...lane } = input;
  let summary = before ?? summarizeOutcomes([]);
  let wakes = 0;
  let behindSeconds = 1;
  let letGo: readonly string[] = [];
  const view = new LaneView();
  setHandler(wakeSignal, (eventIds, arrived = []) => {
    wakes += 1;
    letGo = [...letGo, ...eventIds];
    view.arrive(arrived);
  });
  const isFull = (): boolean => wakes >= wakesPerRunMax;

  for (let step = 0; step < stepsPerRunMax && !isFull(); step += 1) {
    const seen = wakes;
    view.move();
    const { next, head, settled, waiting } = await attemptInOrder(lane);
    summary = addSummaries(summary, summarizeOutcomes(settled));
    if (next === 'empty' && wakes === seen) return endWith(summary, []);
    view.wait(waiting);
    if (next === 'behind') {
      await condition(() => wakes > seen, `${behindSeconds} seconds`);
      behindSeconds = Math.min(behindSecondsMax, 2 * behindSeconds);
    } else {
      behindSeconds = 1;
    }
    if (head !== null) {
      showFailing([lane.webhookUid]);
      const isOver = (): boolean => isFull() || letGo.includes(head.eventId);
      const outcome = await retryUntil(isOver, lane, head);
      letGo = [];
      if (outcome !== null) summary = addSummaries(summary, summarizeOutcomes([outcome]));
    }
  }
  return continueAsNew<typeof deliverInOrder>({ ...lane, before: summary });
}

/** Retries the head until it is settled, or until `isOver`: then gives null, and the next step looks again. */
async function retryUntil(
  isOver: () => boolean,
  lane: DeliverInOrderInput,
  { eventId, redeliveryUid }: NonNullable<LaneStep['head']>,
): Promise<DeliveryOutcome | null> {
  const { appUid, webhookUid } = lane;
  const scope = new CancellationScope();
  const options = {
    activityId: eventId,
    summary: `retries to ${webhookUid}, in order`,
    // Going on at once would let the next step repeat an attempt that is under way.
    cancellationType: patched('wait-for-attempt')
      ? ActivityCancellationType.WAIT_CANCELLATION_COMPLETED
      : ActivityCancellationType.TRY_CANCEL,
  };
  const outcome = scope.run(() =>
    retryDelivery.executeWithOptions(options, [
      { appUid, webhookUid, eventId, redeliveryUid, inLane: true },
    ]),
  );
  try {
    await Promise.race([outcome, condition(isOver)]);
    if (isOver()) scope.cancel();
    return await outcome;
  } catch (error) {
    // Cancelled by ourselves, or ended without an outcome.
    if (isCancellation(error) && !isOver()) throw error;
    return null;
  }
}
