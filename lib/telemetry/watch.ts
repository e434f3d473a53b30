import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';

/** How often what is not counted as it happens is read for the metrics. */
export const watchEveryMs = 15_000;

/**
 * Calls `read`, which never rejects, until `signal` aborts; waits `everyMs` between calls. A call under way is left to
 * itself then: it must not hold up a stop.
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
