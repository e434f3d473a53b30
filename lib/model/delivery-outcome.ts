// What came of an attempt, as the activity tells its workflow.
import type { ErrorClass } from './attempt.ts';
import type { DeliveryState } from './delivery-state.ts';

/** What an activity tells its workflow about one delivery: ids, states and times, nothing else. */
export interface DeliveryOutcome {
  eventId: string;
  webhookUid: string;
  /**
   * `superseded`: a job sends the delivery now, and this workflow does so no longer. `waiting`: it is left
   * to the workflow of its partition.
   */
  state: DeliveryState | 'superseded' | 'waiting';
  attemptCount: number;
  status: number | null;
  errorClass: ErrorClass | null;
  /** Which host the last attempt went to; null when this process made none. */
  host: string | null;
  /** How many attempts the schedule allows; null when this process made none. */
  attemptsMax: number | null;
  /**
   * ISO 8601; null when no further attempt is due, and when one that is due is throttled or is in the
   * hands of another process (`retrying`).
   */
  nextAttemptAt: string | null;
  /** ISO 8601; when a retry that is throttled was due. */
  dueAt?: string | undefined;
}
