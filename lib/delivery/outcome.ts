// The words in which a delivery's fate is told, the same in workflow, database, API and log.

/**
 * Where a delivery stands (docs/ARCHITECTURE.md, "States of a delivery"); `waiting` is for earlier
 * events about the same resource.
 */
export const deliveryStates = [
  'pending',
  'waiting',
  'delivered',
  'retrying',
  'exhausted',
  'held',
  'cancelled',
  'blocked',
] as const;
export type DeliveryState = (typeof deliveryStates)[number];

/** The states that only a resend or replay leads out of. */
export const settledStates = ['delivered', 'exhausted', 'cancelled', 'blocked'] as const;

/** The states of a delivery of which something is still to come. */
export const openStates = ['pending', 'waiting', 'retrying', 'held'] as const;

/** Tells whether something is still to come of a delivery; else it is settled. */
export function isOpen(state: DeliveryState): boolean {
  return (openStates as readonly DeliveryState[]).includes(state);
}

/** What a receiver answered last, roughly; `none` when an attempt got no answer. */
export const statusClasses = ['1xx', '2xx', '3xx', '4xx', '5xx', 'none'] as const;
export type StatusClass = (typeof statusClasses)[number];

/** Gives the class of an attempt's status. A status that HTTP does not know counts as a 5xx. */
export function statusClassOf(status: number | null): StatusClass {
  if (status === null) return 'none';
  const name = `${Math.floor(status / 100)}xx`;
  return statusClasses.find((known) => known === name) ?? '5xx';
}

/** What kind of fault an attempt met, where it met one. */
export type ErrorClass =
  'dns' | 'connect' | 'tls' | 'timeout' | 'reset' | 'status' | 'too_large' | 'blocked';

/** What an activity tells its workflow about one delivery: ids, states and times, nothing else. */
export interface DeliveryOutcome {
  eventId: string;
  webhookUid: string;
  /** `superseded`: a redelivery carries the delivery now, and this workflow does so no longer. */
  state: DeliveryState | 'superseded';
  attemptCount: number;
  status: number | null;
  errorClass: ErrorClass | null;
  /** Which host the last attempt went to; null when this process made none. */
  host: string | null;
  /** How many attempts the schedule allows; null when this process made none. */
  attemptsMax: number | null;
  /**
   * ISO 8601; null when no further attempt is due, and when one that is due got no turn or is in the
   * hands of another process (`retrying`).
   */
  nextAttemptAt: string | null;
  /** ISO 8601; when a retry that got no turn was due. */
  dueAt?: string | undefined;
}
