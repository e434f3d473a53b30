// What goes through Temporal: ids, states and times only, nothing secret or personal.
// No Node built-ins here: workflows import this file.
import type { DeliveryOutcome } from '../delivery/outcome.ts';
import type { OnResume } from '../store/webhooks.ts';

/** The input of the workflow `deliverEvents`: events of one application, each with its webhooks. */
export interface DeliverEventsInput {
  appUid: string;
  events: { eventId: string; webhookUids: string[] }[];
}

/** The result of `deliverEvents`, and the details of its failure. */
export interface DeliverySummary {
  deliveries: number;
  delivered: number;
  held: number;
  cancelled: number;
  /** The deliveries that ended badly, at most 60 of them. */
  failed: { eventId: string; webhookUid: string; state: string; attemptCount: number }[];
  failedCount: number;
}

/** The input of `attemptFirst`: deliveries of one application, at most 100. */
export interface AttemptFirstInput {
  appUid: string;
  deliveries: { eventId: string; webhookUid: string }[];
}

/** The input of `retryDelivery`. */
export interface RetryDeliveryInput {
  appUid: string;
  eventId: string;
  webhookUid: string;
}

/** The input of `redeliver`: whose held deliveries, and after which of them to go on. */
export interface RedeliverInput {
  appUid: string;
  webhookUid: string;
  after: string;
  /** Whether they are sent or dropped. */
  onResume: OnResume;
  /** How many were released before this run. */
  released: number;
}

/** A page of a webhook's held deliveries, oldest first; `last` is where the next one begins. */
export interface HeldPage {
  eventIds: string[];
  last: string;
}

/** The activities, as the workflow sees them. */
export interface DeliveryActivities {
  findHeldDeliveries(input: RedeliverInput): Promise<HeldPage>;
  discardHeldDeliveries(input: RedeliverInput): Promise<number>;
  attemptFirst(input: AttemptFirstInput): Promise<DeliveryOutcome[]>;
  retryDelivery(input: RetryDeliveryInput): Promise<DeliveryOutcome>;
}

/** How many deliveries one `attemptFirst` activity takes at most. */
export const firstAttemptsPerActivityMax = 100;

/**
 * How many deliveries a workflow of several events carries at most. Each may need an activity of its
 * own for its retries, and Temporal advises some 500 at a time (its limit is 2,000).
 */
export const deliveriesPerWorkflowMax = 500;

/** How many held deliveries are released a second, so that a resumed receiver is not flooded. */
export const releasedPerSecondMax = 20;
