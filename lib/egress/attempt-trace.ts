import type { AttemptTimings } from '../model/attempt.ts';
import type { SendPhase } from './classify-send-error.ts';

/** Times are readings of `performance.now()`. */
export interface AttemptPhase {
  readonly name: Exclude<keyof AttemptTimings, 'total'>;
  readonly startedAt: number;
  readonly endedAt: number;
  readonly failed: boolean;
}

export interface AttemptTrace {
  readonly startedAt: number;
  phase: SendPhase;
  /** Null unless a phase is running. */
  phaseStartedAt: number | null;
  /** The peer, once an address that passed the guard is being dialled. */
  address: string | null;
  responseBegan: boolean;
  readonly ms: AttemptTimings;
  readonly phases: AttemptPhase[];
}

export interface AttemptScope {
  readonly signal: AbortSignal;
  readonly trace: AttemptTrace;
}

export function createTrace(): AttemptTrace {
  return {
    startedAt: performance.now(),
    phase: 'dns',
    phaseStartedAt: null,
    address: null,
    responseBegan: false,
    ms: { total: 0 },
    phases: [],
  };
}

export function beginPhase(trace: AttemptTrace, phase: SendPhase): void {
  trace.phase = phase;
  trace.phaseStartedAt = performance.now();
}

/** Ends the current phase and records its time; an exchange ends with the first byte of the response. */
export function endPhase(trace: AttemptTrace, { failed = false } = {}): void {
  const { phase, phaseStartedAt: startedAt } = trace;
  if (startedAt === null) return;
  const name = phase === 'exchange' ? 'firstByte' : phase;
  // Of failed phases, clients see only the duration of a lookup.
  if (!failed || phase === 'dns') trace.ms[name] = msSince(startedAt);
  trace.phases.push({ name, startedAt, endedAt: performance.now(), failed });
  trace.phaseStartedAt = null;
}

export function msSince(startedAt: number): number {
  return Math.round(performance.now() - startedAt);
}
