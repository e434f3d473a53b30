import { CancellationScope, defineSignal, isCancellation, setHandler } from '@temporalio/workflow';
import { attemptFirst, retryDelivery } from './activity-options.ts';
import { attemptLimits } from '../lib/limits.ts';
import type { DeliveryOutcome, LaterOutcome } from '../lib/model/delivery-outcome.ts';
import { type DeliveryKey, pairOf } from '../lib/model/delivery.ts';
import { groupDeliveries } from '../lib/temporal/delivery-groups.ts';
import { fairPriority } from '../lib/temporal/fair-priority.ts';
import type {
  DeliverEventsInput,
  DeliveryPair,
  DeliverySummary,
} from '../lib/temporal/messages.ts';
import { takenByJobSignalName } from '../lib/temporal/names.ts';
import { Progress } from './progress.ts';
import { failureDetailsOf, showingCancellation } from './show-deliveries.ts';
import { inTrace } from './trace-sink.ts';

const takenByJobSignal = defineSignal<[DeliveryPair[]]>(takenByJobSignalName);

/**
 * Delivers events: first attempts by webhook, then one durable retry per failing delivery,
 * independent of other webhooks. Fails with `DeliveriesFailed` if a delivery failed for good, so that operators find it
 * under Failed.
 */
export async function deliverEvents(input: DeliverEventsInput): Promise<DeliverySummary> {
  const { trace } = input;
  return trace === undefined ? deliver(input) : inTrace(trace, () => deliver(input));
}

async function deliver(input: DeliverEventsInput): Promise<DeliverySummary> {
  const progress = new Progress(input.events);
  const retries = new Retries(input);
  const groups = groupDeliveries(input.events, attemptLimits.firstActivitiesMax);
  const ended = settleAll(groups.map((group) => deliverGroup(group, { input, progress, retries })));
  await showingCancellation(ended);
  return progress.end();
}

async function deliverGroup(
  deliveries: DeliveryKey[],
  { input, progress, retries }: { input: DeliverEventsInput; progress: Progress; retries: Retries },
): Promise<void> {
  const { jobUid, trace } = input;
  const { isEachShown } = progress;
  const summary = summarize(deliveries, input.events.length);
  const first = await attemptFirst.executeWithOptions({ summary }, [
    { jobUid, deliveries, isEachShown, trace },
  ]);
  progress.attempted(deliveries, first);
  if (first.later.length === 0) return;
  await settleAll(
    first.later.map(async (outcome) => progress.retried(await retries.retry(outcome))),
  );
}

// The UI cuts off long summaries, so the event is left out where all have the same.
function summarize(deliveries: readonly DeliveryKey[], eventCount: number): string {
  const webhookUids = new Set(deliveries.map(({ webhookUid }) => webhookUid));
  const [only] = webhookUids;
  const to = webhookUids.size === 1 ? only : `${webhookUids.size} webhooks`;
  if (eventCount === 1) return `to ${to}`;
  const events = deliveries.length === 1 ? deliveries[0]?.eventId : `${deliveries.length} events`;
  return `${events} to ${to}`;
}

// A cancel ends waiting retries immediately, and running ones after their attempt, so the workflow waits for them. A
// single promise is returned as it is, because the SDK traces each promise at considerable cost.
async function settleAll(promises: readonly Promise<void>[]): Promise<void> {
  if (promises.length === 1) return promises[0];
  for (const each of await Promise.allSettled(promises)) {
    if (each.status === 'rejected') throw each.reason;
  }
}

/** The retries of a workflow. A signal ends those whose deliveries a job took. */
class Retries {
  readonly #input: DeliverEventsInput;
  readonly #appUids: ReadonlyMap<string, string>;
  readonly #waits = new Map<string, CancellationScope>();
  readonly #takenByJob = new Set<string>();
  #isListening = false;

  constructor(input: DeliverEventsInput) {
    this.#input = input;
    this.#appUids = new Map(input.events.map(({ eventId, appUid }) => [eventId, appUid]));
  }

  /** Retries a delivery until it is settled. If a job takes it, calls the activity again, which reads the new state. */
  async retry(outcome: LaterOutcome): Promise<DeliveryOutcome> {
    this.#listen();
    const key = pairOf(outcome);
    for (let call = 1; ; call += 1) {
      const isKnown = !this.#takenByJob.delete(key) && call === 1;
      const wait = new CancellationScope();
      this.#waits.set(key, wait);
      try {
        // The previous call may still be ending an attempt.
        const activityId = call === 1 ? key : `${key}/${call}`;
        return await wait.run(() => this.#call(outcome, { activityId, isKnown }));
      } catch (error) {
        const failed = failureDetailsOf(error) as DeliveryOutcome | null;
        // Any other fault ends only this delivery.
        if (!isCancellation(error)) return failed ?? outcome;
        if (!this.#takenByJob.has(key)) throw error;
      } finally {
        this.#waits.delete(key);
      }
    }
  }

  // Registered with the first retry, so that other workflows bear no cost; Temporal buffers earlier signals.
  #listen(): void {
    if (this.#isListening) return;
    this.#isListening = true;
    setHandler(takenByJobSignal, (deliveries) => {
      for (const key of deliveries.map(pairOf)) {
        this.#takenByJob.add(key);
        this.#waits.get(key)?.cancel();
      }
    });
  }

  async #call(
    outcome: LaterOutcome,
    { activityId, isKnown }: { activityId: string; isKnown: boolean },
  ): Promise<DeliveryOutcome> {
    const { jobUid, trace } = this.#input;
    // Only the result needs the attempts.
    const { attempts: _attempts, ...left } = outcome;
    const { eventId, webhookUid, host } = outcome;
    const appUid = this.#appUids.get(eventId) ?? '';
    const summary = `${eventId} to ${webhookUid}${host === null ? '' : ` at ${host}`}`;
    const ofTrace: [trace?: string] = trace === undefined ? [] : [trace];
    return retryDelivery.executeWithOptions({ activityId, summary, ...fairPriority(appUid) }, [
      { appUid, jobUid, eventId, webhookUid, left: isKnown ? left : undefined },
      ...ofTrace,
    ]);
  }
}
