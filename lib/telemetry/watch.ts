import { setTimeout as sleep } from 'node:timers/promises';

/** How often what is not counted as it happens is read for the metrics. */
export const watchEveryMs = 15_000;

/** Calls `read`, which never rejects, until `signal` aborts; waits `everyMs` between calls. */
export async function watch(
  read: () => Promise<void>,
  { signal, everyMs = watchEveryMs }: { signal: AbortSignal; everyMs?: number },
): Promise<void> {
  while (!signal.aborted) {
    await read();
    await sleep(everyMs, undefined, { signal }).catch(() => undefined);
  }
}
