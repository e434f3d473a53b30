import { startFairTimer } from './fair-timer.ts';
import { SendFault } from './send-fault.ts';

interface AttemptDeadline {
  readonly signal: AbortSignal;
  /** Call it right before the request. Throws if the time is over, or the error of `beforeRequest`. */
  readonly check: () => void;
  throwIfEnded(): void;
  stop(): void;
}

interface DeadlineCaller {
  signal?: AbortSignal | undefined;
  beforeRequest?: (() => void) | undefined;
}

// Not `AbortSignal.any`: on Node 20 each call leaks memory on a signal that lives as long as the process.
export function startDeadline(
  timeoutMs: number,
  { signal: caller, beforeRequest }: DeadlineCaller,
): AttemptDeadline {
  const refusals: unknown[] = [];
  const controller = new AbortController();
  const onCaller = (): void => controller.abort(caller?.reason);
  const endsAtMs = performance.now() + timeoutMs;
  const fault = () => new SendFault('ATTEMPT_DEADLINE', `attempt took over ${timeoutMs} ms`);
  const stopTimer = startFairTimer(timeoutMs, () => controller.abort(fault()));
  caller?.addEventListener('abort', onCaller, { once: true });
  return {
    signal: controller.signal,
    check() {
      controller.signal.throwIfAborted();
      if (performance.now() > endsAtMs) throw fault();
      try {
        beforeRequest?.();
      } catch (error) {
        refusals.push(error);
        throw error;
      }
    },
    throwIfEnded() {
      caller?.throwIfAborted();
      if (refusals.length > 0) throw refusals[0];
    },
    stop() {
      stopTimer();
      caller?.removeEventListener('abort', onCaller);
    },
  };
}

/** Waits for work that cannot be cancelled; rejects with the signal's reason if it aborts first. */
export function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const onAbort = (): void => reject(signal.reason);
    if (signal.aborted) onAbort();
    signal.addEventListener('abort', onAbort, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort));
  });
}
