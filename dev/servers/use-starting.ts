import { setTimeout as delay } from 'node:timers/promises';
import type { Disposal } from '../../lib/platform/disposal.ts';

const startMsMax = 10_000;

/**
 * Closes with `open` what is being started, also where it is up only after the close began. What takes longer than
 * 10 s then is left to end with this process.
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
