// One signal for one send: it aborts when the time is over or when the caller gives up.
import { startFairTimer } from './fair-timer.ts';
import { SendFault } from './send-fault.ts';

export interface AttemptDeadline {
  readonly signal: AbortSignal;
  /** Ends the timer and lets go of the caller's signal. */
  stop(): void;
}

/**
 * Starts the clock of one attempt. Not `AbortSignal.any`: on Node 20 each call leaves a trace on a
 * long-lived source, and the caller's shutdown signal lives as long as the process.
 */
export function startDeadline(timeoutMs: number, caller?: AbortSignal): AttemptDeadline {
  const controller = new AbortController();
  const onCaller = (): void => controller.abort(caller?.reason);
  const stopTimer = startFairTimer(timeoutMs, () => {
    controller.abort(new SendFault('ATTEMPT_DEADLINE', `attempt took over ${timeoutMs} ms`));
  });
  caller?.addEventListener('abort', onCaller, { once: true });
  return {
    signal: controller.signal,
    stop() {
      stopTimer();
      caller?.removeEventListener('abort', onCaller);
    },
  };
}

/**
 * Waits for work that cannot be cancelled, but no longer than the signal; rejects with its
 * reason.
 */
export function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const onAbort = (): void => reject(signal.reason);
    if (signal.aborted) onAbort();
    signal.addEventListener('abort', onAbort, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort));
  });
}
