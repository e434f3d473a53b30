// What goes through Temporal: ids, states and times, nothing secret or personal.
import type { DeliveryKey } from '../model/delivery.ts';
import type { DeliveryOutcome } from '../model/delivery-outcome.ts';
import type { PartitionKey } from '../model/partition.ts';

export interface DeliverEventsInput {
  appUid: string;
  /** The job whose page it delivers; absent for the events' first delivery. */
  jobUid?: string;
  events: { eventId: string; webhookUids: string[] }[];
  /** The `traceparent` of its start; absent where that is in no recorded trace. */
  trace?: string;
}

/** The result of `deliverEvents` and `deliverInOrder`, and the details of their failure. */
export interface DeliverySummary {
  deliveries: number;
  delivered: number;
  held: number;
  /** Left to the workflow of their partition, for their turn or a retry. */
  waiting: number;
  cancelled: number;
  /** At most 60 of the deliveries that failed for good. */
  failed: { eventId: string; webhookUid: string; state: string; attemptCount: number }[];
  failedCount: number;
  /** Of deliveries that were retried or failed: 60 attempts in all. Absent without any. */
  attempts?: AttemptsOfDelivery[];
}

export type AttemptsOfDelivery = Pick<DeliveryOutcome, 'eventId' | 'webhookUid' | 'state'> &
  Required<Pick<DeliveryOutcome, 'attempts'>>;

export interface AttemptFirstInput {
  appUid: string;
  jobUid?: string | undefined;
  /** At most 100. */
  deliveries: Omit<DeliveryKey, 'appUid'>[];
  trace?: string | undefined;
}

/** Counts, with the deliveries that are left to retries: the others are in the database. */
export interface FirstAttempts {
  settled: DeliverySummary;
  retrying: DeliveryOutcome[];
}

export interface RetryDeliveryInput extends DeliveryKey {
  jobUid?: string | undefined;
  /** Of the first attempt: the call right after it reads nothing where the next is due later. */
  left?: DeliveryOutcome | undefined;
}

/** A delivery that a job took or cancelled while its workflow waited for its retry. */
export type OvertakenDelivery = Pick<DeliveryKey, 'eventId' | 'webhookUid'>;

export interface DeliverInOrderInput extends PartitionKey {
  /** The summary of the runs before this one. */
  before?: DeliverySummary;
}

export interface PartitionStep {
  /** `more`: take another step; `end`: nothing waits, or the head is held; else when to check again. */
  next: 'more' | 'end' | { waitMs: number };
  settled: DeliveryOutcome[];
  /** The first 60 events that wait; empty unless `next` is a wait. */
  waiting: string[];
  isFailing: boolean;
}

export interface RunJobInput {
  jobUid: string;
  /** Absent for the retention. */
  appUid?: string;
  page?: number;
  cursor?: string | undefined;
}

export interface TakeJobPageInput {
  jobUid: string;
  /** From 1 on. */
  page: number;
  /** From the page before; only the retention has no document to keep it in. */
  cursor?: string | undefined;
}

export interface JobPage {
  events: DeliverEventsInput['events'];
  isLast: boolean;
  waitMs?: number;
  cursor?: string;
}

export interface DeliveryActivities {
  attemptFirst: (input: AttemptFirstInput) => Promise<FirstAttempts>;
  /** `trace` as in `DeliverEventsInput`. */
  retryDelivery: (input: RetryDeliveryInput, trace?: string) => Promise<DeliveryOutcome>;
  attemptInOrder: (input: PartitionKey) => Promise<PartitionStep>;
  takeJobPage: (input: TakeJobPageInput) => Promise<JobPage>;
}

/** What workflows report outside their history. */
export type TraceSinks = {
  traces: { ended: (traceparent: string, isFailed: boolean) => void };
};
