// What one attempt notes about itself on the way: how far it came, with whom, and how long it took.
import type { AttemptTimings } from '../model/attempt.ts';
import type { SendPhase } from './classify-send-error.ts';

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
