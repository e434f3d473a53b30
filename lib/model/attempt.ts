// An attempt at a delivery: why it was made, what it met and how long it took.

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

/**
 * Whole milliseconds. `dns`, `connect` and `tls` are the lengths of those phases, absent when
 * they did not happen (a kept connection, a literal address, plain http); `firstByte` runs from
 * the request being written to the answer beginning; `total` is the whole attempt.
 */
export interface AttemptTimings {
  dns?: number;
  connect?: number;
  tls?: number;
  firstByte?: number;
  total: number;
}

/** Why an attempt was made. */
export type AttemptTrigger = 'event' | 'retry' | 'resend' | 'replay';

export interface Attempt {
  n: number;
  at: Date;
  ms: AttemptTimings;
  status: number | null;
  errorClass: ErrorClass | null;
  /** What went wrong, in a sentence of a fixed set that names neither addresses nor secrets. */
  detail: string | null;
  responseSample: string;
  /** The receiver's address, for operators only. */
  address: string | null;
  trigger: AttemptTrigger;
}
