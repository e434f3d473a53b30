import { setTimeout as sleep } from 'node:timers/promises';
import type { ProcessExit } from '../servers/guarded-process.ts';

export interface Running extends AsyncDisposable {
  exited: Promise<ProcessExit>;
}

interface SuperviseOptions<R extends Running> {
  name: string;
  start: () => Promise<R>;
  /** Called after each start, including the first. */
  onStart: (running: R) => void;
  /** False if the data ends with the process. */
  restartable?: boolean;
  /** Before the first restart. The wait doubles up to 15 s, and starts over after a process that ran for 30 s. */
  firstWaitMs: number;
  progress: (line: string) => void;
}

const waitMsMin = 1_000;
const waitMsMax = 15_000;
const soundAfterMs = 30_000;

export interface Supervised extends AsyncDisposable {
  /** Resolves with a sentence when the process cannot be restarted or was stopped. */
  lost: Promise<string>;
}

/** Restarts a process when it ends. */
export function supervise<R extends Running>(first: R, options: SuperviseOptions<R>): Supervised {
  const { name, start, onStart, restartable = true, firstWaitMs, progress } = options;
  const stopping = new AbortController();
  const { signal } = stopping;
  let running = first;
  onStart(running);

  async function watch(): Promise<string> {
    let waitMs = firstWaitMs;
    while (true) {
      const startedAt = performance.now();
      const exit = await running.exited;
      if (signal.aborted) return `${name} was stopped`;
      const how = `${name} ended (${exit.signal ?? `code ${exit.code}`})`;
      if (!restartable) return `${how}; its data is lost`;
      if (performance.now() - startedAt > soundAfterMs) waitMs = firstWaitMs;
      progress(`${how}; restarting it`);
      await sleep(waitMs, undefined, { signal }).catch(() => undefined);
      if (signal.aborted) return `${name} was stopped`;
      waitMs = Math.min(waitMsMax, Math.max(waitMsMin, waitMs * 2));
      running = await start();
      onStart(running);
      // The stop saw only the previous process.
      if (signal.aborted) await running[Symbol.asyncDispose]();
    }
  }
  const lost = watch().catch((error: unknown) => {
    const reason = error instanceof Error ? error.message : String(error);
    return `${name} could not be restarted: ${reason}`;
  });
  return {
    lost,
    async [Symbol.asyncDispose]() {
      stopping.abort();
      await running[Symbol.asyncDispose]();
      await lost;
    },
  };
}
