import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';

/** How often values that are not counted as they happen are read for the metrics. */
export const watchEveryMs = 15_000;

/**
 * Calls `read`, which never rejects, until `signal` aborts; waits `everyMs` between calls. Does not wait for a call in
 * flight then, so that it cannot delay a stop.
 */
export async function watch(
  read: () => Promise<void>,
  { signal, everyMs = watchEveryMs }: { signal: AbortSignal; everyMs?: number },
): Promise<void> {
  while (!signal.aborted) {
    const hasRead = new AbortController();
    const stopped = once(signal, 'abort', { signal: hasRead.signal }).catch(() => undefined);
    await Promise.race([read(), stopped]);
    hasRead.abort();
    await sleep(everyMs, undefined, { signal }).catch(() => undefined);
  }
}
