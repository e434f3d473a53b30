// The words in which a delivery's fate is told, the same in workflow, database, API and log.

/** Where a delivery stands (design §5). */
export type DeliveryState =
  'pending' | 'delivered' | 'retrying' | 'exhausted' | 'held' | 'cancelled' | 'blocked';

/** What kind of fault an attempt met, where it met one. */
export type ErrorClass =
  'dns' | 'connect' | 'tls' | 'timeout' | 'reset' | 'status' | 'too_large' | 'blocked';

/** How long an attempt's phases took, in whole milliseconds; a reused connection has only the last two. */
export interface AttemptTimings {
  dns?: number;
  connect?: number;
  tls?: number;
  firstByte?: number;
  total: number;
}

/** What an activity tells its workflow about one delivery: ids, states and times, nothing else. */
export interface DeliveryOutcome {
  eventId: string;
  webhookUid: string;
  /** `superseded`: a redelivery carries the delivery now, and this workflow does so no longer. */
  state: DeliveryState | 'superseded';
  attemptCount: number;
  status: number | null;
  errorClass: ErrorClass | null;
  /** ISO 8601, or null when no further attempt is due. */
  nextAttemptAt: string | null;
}
