// What one attempt notes about itself on the way: how far it came, with whom, and how long it took.
import type { SendPhase } from './classify-send-error.ts';

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

export interface AttemptTrace {
  phase: SendPhase;
  /** The peer, once an address that passed the guard is being dialled. */
  address: string | null;
  /** True once a byte of the answer was read. */
  answerBegan: boolean;
  readonly ms: AttemptTimings;
}

/** A trace of an attempt at which nothing has happened yet. */
export function createTrace(): AttemptTrace {
  return { phase: 'dns', address: null, answerBegan: false, ms: { total: 0 } };
}

/** Whole milliseconds since a reading of `performance.now()`. */
export function msSince(startedAt: number): number {
  return Math.round(performance.now() - startedAt);
}
