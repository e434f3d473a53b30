import { CancellationScope, defineSignal, isCancellation, setHandler } from '@temporalio/workflow';
import { attemptFirst, inTurn, retryDelivery } from './activity-options.ts';
import { attemptLimits } from '../lib/limits.ts';
import type { DeliveryOutcome } from '../lib/model/delivery-outcome.ts';
import { pairOf } from '../lib/model/delivery.ts';
import { addSummaries, summarizeOutcomes } from '../lib/temporal/delivery-summary.ts';
import type {
  DeliverEventsInput,
  DeliverySummary,
  OvertakenDelivery,
} from '../lib/temporal/messages.ts';
import { overtakenSignalName } from '../lib/temporal/names.ts';
import { endWith, showFailing } from './show-deliveries.ts';
import { inTrace } from './trace-sink.ts';

const overtakenSignal = defineSignal<[OvertakenDelivery[]]>(overtakenSignalName);

/** A retry that a signal may end. */
interface Wait {
  scope: CancellationScope;
  isOvertaken: boolean;
}

/**
 * Delivers events of one application: first attempts together, then one durable retry a failing delivery. Fails with
 * `DeliveriesFailed` when a delivery failed for good, so that operators find it under Failed.
 */
export async function deliverEvents(input: DeliverEventsInput): Promise<DeliverySummary> {
  const { trace } = input;
  return trace === undefined ? deliver(input) : inTrace(trace, () => deliver(input));
}

async function deliver(input: DeliverEventsInput): Promise<DeliverySummary> {
  const { appUid, jobUid, trace } = input;
  const deliveries = input.events.flatMap(({ eventId, webhookUids }) =>
    webhookUids.map((webhookUid) => ({ eventId, webhookUid })),
  );
  const first = await all(
    chunk(deliveries, attemptLimits.firstAttemptsPerActivityMax).map((part) =>
      attemptFirst({ appUid, jobUid, deliveries: part, trace }),
    ),
  );
  const settled = first
    .map((attempts) => attempts.settled)
    .reduce(addSummaries, summarizeOutcomes([]));
  const retrying = first.flatMap((attempts) => attempts.retrying);
  if (retrying.length === 0) return endWith(settled, []);
  const failingUids = [...new Set(retrying.map((outcome) => outcome.webhookUid))];
  showFailing(failingUids);
  const retried = await retryAll(input, retrying);
  return endWith(addSummaries(settled, summarizeOutcomes(retried)), failingUids);
}

// The SDK traces each promise, which costs as much as all else here: of one alone none more is made.
async function all<T>(promises: readonly Promise<T>[]): Promise<T[]> {
  const [only] = promises;
  return only !== undefined && promises.length === 1 ? [await only] : Promise.all(promises);
}

async function retryAll(
  input: DeliverEventsInput,
  retrying: readonly DeliveryOutcome[],
): Promise<DeliveryOutcome[]> {
  const waits = new Map<string, Wait>();
  const retried = allEnded(retrying.map((outcome) => retry(input, outcome, waits)));
  // Only here, so that other workflows bear no cost; an earlier signal waits until then.
  setHandler(overtakenSignal, (deliveries) => {
    for (const delivery of deliveries) {
      const wait = waits.get(pairOf(delivery));
      if (wait === undefined) continue;
      wait.isOvertaken = true;
      wait.scope.cancel();
    }
  });
  return retried;
}

// A cancel ends the retries that wait at once, and those under way with their attempts, which need a workflow till then.
async function allEnded<T>(promises: readonly Promise<T>[]): Promise<T[]> {
  const ended = await Promise.allSettled(promises);
  return ended.map((each) => {
    if (each.status === 'rejected') throw each.reason;
    return each.value;
  });
}

// Again when it is overtaken: the document says what became of it.
async function retry(
  { appUid, jobUid, trace }: DeliverEventsInput,
  outcome: DeliveryOutcome,
  waits: Map<string, Wait>,
): Promise<DeliveryOutcome> {
  const { eventId, webhookUid } = outcome;
  const host = outcome.host === null ? '' : ` at ${outcome.host}`;
  const summary = `retries to ${webhookUid}${host}`;
  const key = pairOf(outcome);
  const ofTrace: [trace?: string] = trace === undefined ? [] : [trace];
  for (let call = 1; ; call += 1) {
    const wait: Wait = { scope: new CancellationScope(), isOvertaken: false };
    waits.set(key, wait);
    // The one before may still end an attempt.
    const activityId = call === 1 ? key : `${key}/${call}`;
    const options = { activityId, summary, ...inTurn(appUid) };
    try {
      return await wait.scope.run(() =>
        retryDelivery.executeWithOptions(options, [
          { appUid, jobUid, eventId, webhookUid, left: call === 1 ? outcome : undefined },
          ...ofTrace,
        ]),
      );
    } catch (error) {
      // Any other fault ends this delivery alone.
      if (!isCancellation(error)) return outcome;
      if (!wait.isOvertaken) throw error;
    }
  }
}

function chunk<T>(items: readonly T[], size: number): T[][] {
  const parts: T[][] = [];
  for (let start = 0; start < items.length; start += size) {
    parts.push(items.slice(start, start + size));
  }
  return parts;
}
