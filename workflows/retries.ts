import { CancellationScope, defineSignal, isCancellation, setHandler } from '@temporalio/workflow';
import { retryDelivery } from './activity-options.ts';
import { fairPriority } from '../lib/temporal/fair-priority.ts';
import type { DeliveryOutcome, LaterOutcome } from '../lib/model/delivery-outcome.ts';
import { pairOf } from '../lib/model/delivery.ts';
import type { DeliverEventsInput, DeliveryPair } from '../lib/temporal/messages.ts';
import { takenByJobSignalName } from '../lib/temporal/names.ts';
import { failureDetailsOf } from './show-deliveries.ts';

const takenByJobSignal = defineSignal<[DeliveryPair[]]>(takenByJobSignalName);

/** The retries of a workflow. A signal ends those whose deliveries a job took. */
export class Retries {
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
