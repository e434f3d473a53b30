import type { ErrorClass } from './attempt.ts';
import type { PartitionNumber } from './partition.ts';
import type { SettledState } from './delivery-state.ts';

/**
 * `retry`: its schedule waits. `rateLimited`: it has a rate-limit slot. `throttled`: too many requests are in flight.
 * `inFlightElsewhere`: another process may be making the attempt.
 */
export type LaterReason = 'retry' | 'rateLimited' | 'throttled' | 'inFlightElsewhere';

/** How a call about a delivery ends: settled, held, to be called again later, or continued by its owner's workflow. */
export type Ending =
  | { state: SettledState | 'held' }
  /** `at` is ISO 8601. */
  | { state: 'later'; why: LaterReason; at: string }
  /** The ID of that workflow; null if it is unknown. */
  | { state: 'continued'; continuesIn: string | null };

/** The report of a call to its workflow. Temporal stores it, so it contains no payload and no secret. */
export type DeliveryOutcome = DeliveryReport & Ending;

export type LaterOutcome = Extract<DeliveryOutcome, { state: 'later' }>;

/** Of a delivery that is still to be sent. */
export type OpenOutcome = Extract<DeliveryOutcome, { state: 'later' | 'continued' }>;

export interface DeliveryReport {
  eventId: string;
  webhookUid: string;
  attemptCount: number;
  status: number | null;
  errorClass: ErrorClass | null;
  /** Null if the webhook is deleted or was not read. */
  host: string | null;
  /** Null if this process made no attempt. */
  attemptsMax: number | null;
  /** Absent if the webhook is not ordered. */
  partitionNumber?: PartitionNumber;
  /** The latest attempts of a settled delivery; only the last one of an open delivery. */
  attempts?: AttemptFact[];
}

/** An attempt as the result of a workflow shows it: `status`, or `errorClass` if there was no response. */
export interface AttemptFact {
  n: number;
  at: string;
  ms: number;
  status?: number;
  errorClass?: ErrorClass;
}
