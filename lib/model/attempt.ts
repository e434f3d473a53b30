import type { DeliveryState } from './delivery-state.ts';

export const statusClasses = ['1xx', '2xx', '3xx', '4xx', '5xx', 'none'] as const;
export type StatusClass = (typeof statusClasses)[number];

/** Returns the class of a status; one that HTTP does not know counts as a 5xx. */
export function statusClassOf(status: number | null): StatusClass {
  if (status === null) return 'none';
  const name = `${Math.floor(status / 100)}xx`;
  return statusClasses.find((known) => known === name) ?? '5xx';
}

export const errorClasses = [
  'dns',
  'connect',
  'tls',
  'timeout',
  'reset',
  'status',
  'too_large',
  'blocked',
] as const;
export type ErrorClass = (typeof errorClasses)[number];

/** Whole milliseconds of each phase, absent where it did not happen; `firstByte` from the sent request on. */
export interface AttemptTimings {
  dns?: number;
  connect?: number;
  tls?: number;
  firstByte?: number;
  total: number;
}

export const attemptTriggers = ['event', 'retry', 'resend', 'replay'] as const;
export type AttemptTrigger = (typeof attemptTriggers)[number];

/** What an attempt made of its delivery; `retrying`: it failed, and there is another one to come. */
export const attemptStates = [
  'delivered',
  'retrying',
  'exhausted',
  'blocked',
] as const satisfies DeliveryState[];
export type AttemptState = (typeof attemptStates)[number];

export interface Attempt {
  n: number;
  at: Date;
  ms: AttemptTimings;
  status: number | null;
  errorClass: ErrorClass | null;
  /** Sentences of a fixed set, and the `Location` of a redirect; without addresses of a name or secrets. */
  detail: string | null;
  responseSample: string;
  /** The receiver's IP address, for operators only. */
  address: string | null;
  /** Absent where its trace is not recorded. */
  traceId?: string;
  trigger: AttemptTrigger;
  state: AttemptState;
}
