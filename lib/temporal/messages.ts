// The messages stored in Temporal: IDs, states and times, nothing secret or personal.
import type { DeliveryKey } from '../model/delivery.ts';
import type {
  AttemptFact,
  DeliveryOutcome,
  LaterOutcome,
  OpenOutcome,
} from '../model/delivery-outcome.ts';
import type { PartitionKey } from '../model/partition.ts';
import type { JobPage, TakeJobPageInput } from './job-messages.ts';

export interface DeliverEventsInput {
  /** The job whose page it delivers; absent for the first delivery of events. */
  jobUid?: string;
  events: { appUid: string; eventId: string; webhookUids: string[] }[];
  /** The `traceparent` of its start; absent unless a trace is recorded. */
  trace?: string;
}

/** The result of `deliverEvents` and `deliverInOrder`, and the details of their failure. */
export interface DeliverySummary {
  deliveries: number;
  delivered: number;
  held: number;
  /** Sent by another workflow: that of a partition, or of a job. */
  continued: number;
  cancelled: number;
  failedCount: number;
  /**
   * Failed deliveries, then retried ones and those that another workflow sends, up to 60; then up to 20 others, unless
   * the workflow has more than 20.
   */
  shown: ShownDelivery[];
}

export interface ShownDelivery extends DeliveryPair {
  state: DeliveryOutcome['state'];
  continuesIn?: string;
  host?: string;
  /** Only the last attempt if the workflow shows more than 60. */
  attempts?: AttemptFact[];
}

export interface AttemptFirstInput {
  jobUid?: string | undefined;
  /** All to one webhook, unless the workflow has more than 50. */
  deliveries: DeliveryKey[];
  /** Whether the result lists successful deliveries, too; otherwise they are only counted. */
  isEachShown?: boolean;
  trace?: string | undefined;
}

export interface FirstAttempts {
  settled: DeliverySummary;
  later: LaterOutcome[];
}

export interface RetryDeliveryInput extends DeliveryKey {
  jobUid?: string | undefined;
  /** The outcome of the first attempt; with it the first call reads nothing if the next attempt is due later. */
  left?: LaterOutcome | undefined;
}

/** A delivery within its application. */
export type DeliveryPair = Pick<DeliveryKey, 'eventId' | 'webhookUid'>;

export interface DeliverInOrderInput extends PartitionKey {
  /** The summary of previous runs. */
  before?: DeliverySummary;
}

export interface PartitionStep {
  /** `more`: take another step. `end`: nothing waits, or the head is held. Otherwise the time until the next check. */
  next: 'more' | 'end' | { waitMs: number };
  settled: DeliveryOutcome[];
  /** The first 60 waiting events; empty unless `next` is a wait. */
  waiting: string[];
  /** The delivery that the others wait for; null unless `next` is a wait, or if another process sends it. */
  head: OpenOutcome | null;
}

/** A step as its workflow receives it, with the fields that all its events share. */
export interface ShownStep extends Omit<PartitionStep, 'settled'> {
  settled: DeliverySummary;
  eventType: string | null;
  externalTenantId: string | null;
}

export interface DeliveryActivities {
  attemptFirst: (input: AttemptFirstInput) => Promise<FirstAttempts>;
  retryDelivery: (input: RetryDeliveryInput, trace?: string) => Promise<DeliveryOutcome>;
  attemptInOrder: (input: PartitionKey) => Promise<ShownStep>;
  takeJobPage: (input: TakeJobPageInput) => Promise<JobPage>;
}

/** Reports of workflows outside their history. */
export type TraceSinks = {
  traces: { ended: (traceparent: string, isFailed: boolean) => void };
};
