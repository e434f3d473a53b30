import { setCurrentDetails, upsertSearchAttributes } from '@temporalio/workflow';
import { attemptLimits } from '../lib/limits.ts';
import type { DeliveryOutcome } from '../lib/model/delivery-outcome.ts';
import { pairOf } from '../lib/model/delivery.ts';
import { describeDeliveries, type OpenDelivery } from '../lib/temporal/current-details.ts';
import { addSummaries, summarizeOutcomes } from '../lib/temporal/delivery-summary.ts';
import type {
  AttemptFirstInput,
  DeliverEventsInput,
  DeliverySummary,
  FirstAttempts,
} from '../lib/temporal/messages.ts';
import { endWorkflow, retryingTo } from './show-deliveries.ts';

// A workflow learns of an activity's retries only when the activity ends.
const retryingNote = 'The tab Pending Activities shows the latest attempts of retrying deliveries.';

/** The progress of a workflow's deliveries, for its Current Details, search attributes and result. */
export class Progress {
  /** Small workflows show every delivery, others only failed and retried ones. */
  readonly isEachShown: boolean;
  readonly #open = new Map<string, OpenDelivery>();
  readonly #failingUids = new Set<string>();
  #shownUids: readonly string[] = [];
  #unattempted: number;
  #ended = summarizeOutcomes([], true);

  constructor(events: DeliverEventsInput['events']) {
    for (const { eventId, webhookUids } of events) {
      for (const webhookUid of webhookUids) {
        const delivery = { eventId, webhookUid, state: 'delivering' } as const;
        this.#open.set(pairOf(delivery), delivery);
      }
    }
    this.#unattempted = this.#open.size;
    this.isEachShown = this.#unattempted <= attemptLimits.deliveriesShownMax;
    this.#describe();
  }

  attempted(deliveries: AttemptFirstInput['deliveries'], first: FirstAttempts): void {
    for (const delivery of deliveries) this.#open.delete(pairOf(delivery));
    for (const outcome of first.later) {
      this.#open.set(pairOf(outcome), { ...outcome, isFirst: true });
      this.#failingUids.add(outcome.webhookUid);
    }
    this.#unattempted -= deliveries.length;
    this.#add(first.settled);
    this.#showFailing();
  }

  retried(outcome: DeliveryOutcome): void {
    this.#open.delete(pairOf(outcome));
    this.#add(summarizeOutcomes([outcome], this.isEachShown));
  }

  /** Returns the result, or throws the failure of the workflow. */
  end(): DeliverySummary {
    return endWorkflow(this.#ended, { failingUids: this.#shownUids });
  }

  // Updated at the first failure and after the last first attempt, because each update is an event of the history.
  #showFailing(): void {
    const isDue = this.#shownUids.length === 0 || this.#unattempted === 0;
    if (!isDue || this.#failingUids.size === this.#shownUids.length) return;
    this.#shownUids = [...this.#failingUids];
    upsertSearchAttributes(retryingTo(this.#shownUids));
  }

  #add(summary: DeliverySummary): void {
    this.#ended = addSummaries(this.#ended, summary);
    this.#describe();
  }

  #describe(): void {
    const open = [...this.#open.values()];
    const notes = open.some(({ state }) => state === 'later') ? [retryingNote] : [];
    setCurrentDetails([describeDeliveries(this.#ended, open), ...notes].join('\n\n'));
  }
}
