import type { ErrorClass } from './attempt.ts';
import type { DeliveryState } from './delivery-state.ts';

/** The report of an activity to its workflow. Temporal stores it, so it contains no payload and no secret. */
export interface DeliveryOutcome {
  eventId: string;
  webhookUid: string;
  /** `superseded`: a job owns the delivery now; `waiting`: the workflow of its partition does. */
  state: Exclude<DeliveryState, 'pending'> | 'superseded' | 'waiting';
  /** The ID of the workflow that sends a `superseded` or `waiting` delivery. */
  continuesIn?: string | undefined;
  attemptCount: number;
  status: number | null;
  errorClass: ErrorClass | null;
  /** Null if the webhook is deleted or was not read. */
  host: string | null;
  /** Null if this process made no attempt. */
  attemptsMax: number | null;
  /** ISO 8601; null if no attempt is due, or if the one due was throttled or is made by another process. */
  nextAttemptAt: string | null;
  /** True if `nextAttemptAt` is its rate-limit slot. */
  isRateLimited?: true | undefined;
  /** ISO 8601; the time at which a throttled retry was due. */
  dueAt?: string | undefined;
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
