import { setTimeout as delay } from 'node:timers/promises';
import type { Disposal } from '../../lib/platform/disposal.ts';

const startMsMax = 10_000;

/**
 * Closes a starting resource with `open`, even if it is ready only after the close has begun. If that takes more than
 * 10 s, the resource is left to end with this process.
 */
export async function useStarting<T extends AsyncDisposable>(
  open: Disposal,
  starting: Promise<T>,
): Promise<T> {
  const settled = starting.catch(() => null);
  open.defer(async () => {
    const timeout = delay(startMsMax, null, { ref: false });
    const started = await Promise.race([settled, timeout]);
    await started?.[Symbol.asyncDispose]();
  });
  return starting;
}
