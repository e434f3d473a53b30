// What goes through Temporal: ids, states and times only, nothing secret or personal.
// No Node built-ins here: workflows import this file.
import type { DeliveryOutcome } from '../model/delivery-outcome.ts';
import type { PartitionKey } from '../model/partition.ts';

/** The input of the workflow `deliverEvents`: events of one application, each with its webhooks. */
export interface DeliverEventsInput {
  appUid: string;
  /** The job whose page it makes; absent for the events' first delivery. */
  jobUid?: string;
  events: { eventId: string; webhookUids: string[] }[];
}

/** The result of `deliverEvents`, and the details of its failure. */
export interface DeliverySummary {
  deliveries: number;
  delivered: number;
  held: number;
  /** Left to the workflow of their partition: they wait for earlier events about the resource, or for a retry. */
  waiting: number;
  cancelled: number;
  /** The deliveries that ended badly, at most 60 of them. */
  failed: { eventId: string; webhookUid: string; state: string; attemptCount: number }[];
  failedCount: number;
}

/** The input of `attemptFirst`: deliveries of one application, at most 100. */
export interface AttemptFirstInput {
  appUid: string;
  jobUid?: string | undefined;
  deliveries: { eventId: string; webhookUid: string }[];
}

/** The input of `retryDelivery`. */
export interface RetryDeliveryInput {
  appUid: string;
  jobUid?: string | undefined;
  eventId: string;
  webhookUid: string;
}

/** The input of `deliverInOrder`. A long one goes on as a new run, with what the ones before did. */
export interface DeliverInOrderInput extends PartitionKey {
  before?: DeliverySummary;
}

/** What a step along a partition came to: how it goes on, and the deliveries that are done with. */
export interface PartitionStep {
  /** `more`: take another step; `end`: nothing waits, or the head is held; else when to look again. */
  next: 'more' | 'end' | { waitMs: number };
  settled: DeliveryOutcome[];
  /** Where it has to wait: the events that do, the first 60. */
  waiting: string[];
  /** True when the head has failed so far. */
  isFailing: boolean;
}

/** The input of `runJob`. A long one goes on as a new run, from its next page. */
export interface RunJobInput {
  jobUid: string;
  /** Absent for the retention. */
  appUid?: string;
  page?: number;
  cursor?: string | undefined;
}

/** The input of `takeJobPage`. */
export interface TakeJobPageInput {
  jobUid: string;
  /** From 1 on. */
  page: number;
  /** What the page before said; the retention alone has no document to keep it in. */
  cursor?: string | undefined;
}

/** A page of a job: the deliveries to make, and how it goes on. */
export interface JobPage {
  events: DeliverEventsInput['events'];
  /** True when nothing is left after this page. */
  isLast: boolean;
  /** How long until the next page. */
  waitMs?: number;
  cursor?: string;
}

/** The activities, as the workflow sees them. */
export interface DeliveryActivities {
  attemptFirst: (input: AttemptFirstInput) => Promise<DeliveryOutcome[]>;
  retryDelivery: (input: RetryDeliveryInput) => Promise<DeliveryOutcome>;
  attemptInOrder: (input: PartitionKey) => Promise<PartitionStep>;
  takeJobPage: (input: TakeJobPageInput) => Promise<JobPage>;
}

/** How many deliveries one `attemptFirst` activity takes at most. */
export const firstAttemptsPerActivityMax = 100;

/**
 * How many deliveries a workflow of several events carries at most. Each may need an activity of its
 * own for its retries, and Temporal advises some 500 at a time (its limit is 2,000).
 */
export const deliveriesPerWorkflowMax = 500;

/** How long after each other the pages of a job are taken. */
export const jobPageEveryMs = 1_000;

/** How many deliveries are handed on a second unless asked otherwise, so that no receiver is flooded. */
export const releasedPerSecondDefault = 20;
