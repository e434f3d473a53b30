import type { AttemptTimings } from '../model/attempt.ts';
import type { SendPhase } from './classify-send-error.ts';

export interface AttemptTrace {
  /** A reading of `performance.now()`. */
  readonly startedAt: number;
  phase: SendPhase;
  /** The peer, once an address that passed the guard is being dialled. */
  address: string | null;
  answerBegan: boolean;
  readonly ms: AttemptTimings;
}

export interface AttemptScope {
  readonly signal: AbortSignal;
  readonly trace: AttemptTrace;
}

export function createTrace(): AttemptTrace {
  return {
    startedAt: performance.now(),
    phase: 'dns',
    address: null,
    answerBegan: false,
    ms: { total: 0 },
  };
}

/** Returns the whole milliseconds since a reading of `performance.now()`. */
export function msSince(startedAt: number): number {
  return Math.round(performance.now() - startedAt);
}
