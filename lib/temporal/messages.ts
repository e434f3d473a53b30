// What goes through Temporal: ids, states and times, nothing secret or personal.
import type { DeliveryKey } from '../model/delivery.ts';
import type { AttemptFact, DeliveryOutcome } from '../model/delivery-outcome.ts';
import type { JobToStart } from '../model/job.ts';
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
  failedCount: number;
  /** Failed deliveries, then retried ones, up to 60; then up to 20 others, unless the workflow has more than 20. */
  shown: ShownDelivery[];
}

export interface ShownDelivery extends Pick<DeliveryOutcome, 'eventId' | 'webhookUid' | 'state'> {
  host?: string;
  /** The last attempt alone where the workflow shows more than 60. */
  attempts?: AttemptFact[];
}

export interface AttemptFirstInput {
  appUid: string;
  jobUid?: string | undefined;
  /** To one webhook, unless the workflow has more than 50. */
  deliveries: Omit<DeliveryKey, 'appUid'>[];
  /** Whether the result shows deliveries that arrived, too; otherwise they are only counted. */
  isEachShown?: boolean;
  trace?: string | undefined;
}

/** The deliveries that have ended, and those that are left to retries. */
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
  /** The delivery that the others wait for; null unless `next` is a wait, or where another process sends. */
  head: DeliveryOutcome | null;
}

/** A step as its workflow gets it, with what all of its events have in common. */
export interface ShownStep extends Omit<PartitionStep, 'settled'> {
  settled: DeliverySummary;
  eventType: string | null;
  externalTenantId: string | null;
}

export interface RunJobInput {
  jobUid: string;
  /** Absent for the retention. */
  kind?: JobToStart['kind'];
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
  attemptInOrder: (input: PartitionKey) => Promise<ShownStep>;
  takeJobPage: (input: TakeJobPageInput) => Promise<JobPage>;
}

/** What workflows report outside their history. */
export type TraceSinks = {
  traces: { ended: (traceparent: string, isFailed: boolean) => void };
};
