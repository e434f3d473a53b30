// What goes through Temporal: ids, states and times only, nothing secret or personal.
// No Node built-ins here: workflows import this file.
import type { DeliveryOutcome } from '../delivery/outcome.ts';

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

/** The activities, as the workflow sees them. */
export interface DeliveryActivities {
  attemptFirst(input: AttemptFirstInput): Promise<DeliveryOutcome[]>;
  retryDelivery(input: RetryDeliveryInput): Promise<DeliveryOutcome>;
}

/** How many deliveries one `attemptFirst` activity takes at most. */
export const firstAttemptsPerActivityMax = 100;
