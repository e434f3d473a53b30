// How long the event loop of this process, and so of the service in it, was held up meanwhile.
import { monitorEventLoopDelay } from 'node:perf_hooks';

const resolutionMs = 1;

/** Does `work` and gives what came of it, with the longest time for which no timer could run. */
export async function watchEventLoop<T>(
  work: () => Promise<T>,
): Promise<{ result: T; blockedMsMax: number }> {
  const delay = monitorEventLoopDelay({ resolution: resolutionMs });
  delay.enable();
  try {
    const result = await work();
    return { result, blockedMsMax: Math.max(0, delay.max / 1e6 - resolutionMs) };
  } finally {
    delay.disable();
  }
}
