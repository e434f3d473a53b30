import type { DeliveryState } from './delivery-state.ts';

export const statusClasses = ['1xx', '2xx', '3xx', '4xx', '5xx', 'none'] as const;
export type StatusClass = (typeof statusClasses)[number];

/** Returns the class of a status; a status unknown to HTTP counts as a 5xx. */
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

/** Whole milliseconds of each phase, absent if it did not happen; `firstByte` starts when the request is sent. */
export interface AttemptTimings {
  dns?: number;
  connect?: number;
  tls?: number;
  firstByte?: number;
  total: number;
}

export const attemptTriggers = ['event', 'retry', 'resend', 'replay', 'sync'] as const;
export type AttemptTrigger = (typeof attemptTriggers)[number];

/** The triggers of a delivery that a job has requeued. */
export type RequeueTrigger = Exclude<AttemptTrigger, 'event' | 'retry'>;

export function isRequeue(trigger: AttemptTrigger): trigger is RequeueTrigger {
  return trigger !== 'event' && trigger !== 'retry';
}

/** The state of the delivery after an attempt; `retrying`: it failed, and another attempt follows. */
export const attemptStates = [
  'delivered',
  'retrying',
  'exhausted',
  'blocked',
] as const satisfies DeliveryState[];
export type AttemptState = (typeof attemptStates)[number];

export interface ResponseHeader {
  /** In lower case. */
  name: string;
  value: string;
}

export interface Attempt {
  n: number;
  at: Date;
  ms: AttemptTimings;
  status: number | null;
  errorClass: ErrorClass | null;
  /** Sentences of a fixed set, and the `Location` of a redirect; without resolved addresses and secrets. */
  detail: string | null;
  responseSample: string;
  /** Those that help to find the cause; absent if there are none. */
  responseHeaders?: ResponseHeader[];
  /** The receiver's IP address, for operators only. */
  address: string | null;
  /** Absent if its trace is not recorded. */
  traceId?: string;
  trigger: AttemptTrigger;
  state: AttemptState;
}
