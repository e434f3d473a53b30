import type { ErrorClass } from './attempt.ts';
import type { DeliveryState } from './delivery-state.ts';

/** What an activity reports to its workflow: no payload, no secret, for Temporal stores it. */
export interface DeliveryOutcome {
  eventId: string;
  webhookUid: string;
  /** `superseded`: a job owns the delivery now; `waiting`: the workflow of its partition does. */
  state: Exclude<DeliveryState, 'pending'> | 'superseded' | 'waiting';
  attemptCount: number;
  status: number | null;
  errorClass: ErrorClass | null;
  /** Null, as `attemptsMax`, when this process made no attempt. */
  host: string | null;
  attemptsMax: number | null;
  /** ISO 8601; null when no attempt is due, or one that is due is throttled or made by another process. */
  nextAttemptAt: string | null;
  /** True where `nextAttemptAt` is its slot at the webhook's rate. */
  isRateLimited?: true | undefined;
  /** ISO 8601; when a throttled retry was due. */
  dueAt?: string | undefined;
  /** The latest of a settled delivery; of another one the last alone. */
  attempts?: AttemptFact[];
}

/** An attempt as the result of a workflow shows it: `status`, or `errorClass` where there was no answer. */
export interface AttemptFact {
  n: number;
  at: string;
  ms: number;
  status?: number;
  errorClass?: ErrorClass;
}
