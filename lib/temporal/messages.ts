// What goes through Temporal: ids, states and times only, nothing secret or personal.
// No Node built-ins here: workflows import this file.
import type { DeliveryOutcome } from '../model/delivery-outcome.ts';
import type { LaneKey } from '../model/lane.ts';

/** The input of the workflow `deliverEvents`: events of one application, each with its webhooks. */
export interface DeliverEventsInput {
  appUid: string;
  /** The redelivery or release that asks for it; absent for the events' first delivery. */
  redeliveryUid?: string;
  events: { eventId: string; webhookUids: string[] }[];
}

/** The result of `deliverEvents`, and the details of its failure. */
export interface DeliverySummary {
  deliveries: number;
  delivered: number;
  held: number;
  /** Left to the workflow of their lane, where they wait for earlier events about the resource. */
  waiting: number;
  cancelled: number;
  /** The deliveries that ended badly, at most 60 of them. */
  failed: { eventId: string; webhookUid: string; state: string; attemptCount: number }[];
  failedCount: number;
}

/** The input of `attemptFirst`: deliveries of one application, at most 100. */
export interface AttemptFirstInput {
  appUid: string;
  redeliveryUid?: string | undefined;
  deliveries: { eventId: string; webhookUid: string }[];
}

/** The input of `retryDelivery`. */
export interface RetryDeliveryInput {
  /** True in the workflow of the delivery's lane. */
  inLane?: boolean;
  appUid: string;
  redeliveryUid?: string | null | undefined;
  eventId: string;
  webhookUid: string;
}

/** The input of `deliverInOrder`. A long lane goes on as a new run, with what the ones before did. */
export interface DeliverInOrderInput extends LaneKey {
  before?: DeliverySummary;
}

/** What a step along a lane came to: how it goes on, and the deliveries that are done with. */
export interface LaneStep {
  /**
   * `more`: take another step; `empty`: nothing is left; `behind`: the head waits for an earlier event
   * that is not in the lane yet; `retrying`: the head is to be tried again.
   */
  next: 'more' | 'empty' | 'behind' | 'retrying';
  /** The head, where it is to be tried again. */
  head: { eventId: string; redeliveryUid: string | null } | null;
  settled: DeliveryOutcome[];
  /** Where the lane has to wait: the events in it, the first 60. */
  waiting?: string[];
}

/** What `redeliver` sends: what a webhook held while it was paused, or what somebody asked for. */
export type RedeliverSource =
  | {
      kind: 'held';
      webhookUid: string;
      /** The redelivery that the resume is; workflows of before it had a uid go without. */
      releaseUid?: string | null;
    }
  | { kind: 'redelivery'; redeliveryUid: string };

/** The input of `redeliver`. A long one goes on as a new run, from where the one before stopped. */
export interface RedeliverInput {
  appUid: string;
  source: RedeliverSource;
  /** The last of what was looked at; empty at the beginning. */
  after: string;
  /** How many deliveries were handed on before this run. */
  released: number;
}

/** A page of what is to be redelivered, oldest first. */
export interface RedeliverPage {
  events: DeliverEventsInput['events'];
  /** Where the next page begins. */
  after: string;
  /** True when nothing is left after this page. */
  isLast: boolean;
}

/** How much `tidyUp` has taken away: held deliveries that expired, records removed, payloads erased. */
export interface TidyUpTotals {
  expired: number;
  deliveries: number;
  events: number;
  redeliveries: number;
  erasures: number;
  auditRows: number;
  erased: number;
}

/** What a batch of `tidyUp` took away, and how it goes on. */
export interface TidiedBatch extends TidyUpTotals {
  /** The last of the old events that were looked at: the next batch goes on after it. */
  after: string;
  /** Up to when what is held was looked at; absent in batches from before this was told. */
  heldAfterMs?: number;
  more: boolean;
  /** Only from before erasures had workflows of their own: how long until a second look is due. */
  waitMs?: number;
}

/** The input of `eraseBatch`. */
export interface EraseBatchInput {
  erasureUid: string;
}

/** What a stretch of an erasure did; `more` is true when it may have more to do now. */
export interface ErasedStretch {
  erased: number;
  more: boolean;
  /** How long the erasure waits for its second look; absent when it does not. */
  waitMs?: number;
}

/** The activities, as the workflow sees them. */
export interface DeliveryActivities {
  takeRedeliverPage(input: RedeliverInput): Promise<RedeliverPage>;
  tidyUpBatch(input?: { after?: string; heldAfterMs?: number | undefined }): Promise<TidiedBatch>;
  eraseBatch(input: EraseBatchInput): Promise<ErasedStretch>;
  attemptFirst(input: AttemptFirstInput): Promise<DeliveryOutcome[]>;
  retryDelivery(input: RetryDeliveryInput): Promise<DeliveryOutcome>;
  attemptInOrder(input: LaneKey): Promise<LaneStep>;
}

/** How many deliveries one `attemptFirst` activity takes at most. */
export const firstAttemptsPerActivityMax = 100;

/**
 * How many deliveries a workflow of several events carries at most. Each may need an activity of its
 * own for its retries, and Temporal advises some 500 at a time (its limit is 2,000).
 */
export const deliveriesPerWorkflowMax = 500;

/** How long after each other the pages of a redelivery are handed on. */
export const redeliverPageEveryMs = 1_000;

/** How many deliveries are handed on a second unless asked otherwise, so that no receiver is flooded. */
export const releasedPerSecondDefault = 20;
