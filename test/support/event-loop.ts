// How long the event loop of this process, and so of the service in it, was held up meanwhile.
import { monitorEventLoopDelay } from 'node:perf_hooks';

const resolutionMs = 1;
/** What one message may hold the event loop up, on a machine with nothing else to do. */
const blockedMsMax = 50;
/** The same on any machine: so many times what it takes to read a text of 20,000 keys, 6 ms where 50 ms is the limit. */
const readingsMax = 8;

interface Watched<T> {
  result: T;
  blockedMsMax: number;
}

/** Does `work` and gives what came of it, with the longest time for which no timer could run. */
export async function watchEventLoop<T>(work: () => Promise<T>): Promise<Watched<T>> {
  const delay = monitorEventLoopDelay({ resolution: resolutionMs });
  delay.enable();
  try {
    const result = await work();
    return { result, blockedMsMax: Math.max(0, delay.max / 1e6 - resolutionMs) };
  } finally {
    delay.disable();
  }
}

/**
 * Does `work` three times and more, and gives the one that held the event loop up least: what the
 * others held it up for is the machine.
 */
export async function leastBlocked<T>(work: () => Promise<T>): Promise<Watched<T>> {
  let best = await watchEventLoop(work);
  for (let n = 0; n < 2 || (n < 20 && best.blockedMsMax > blockedMsMax / 2); n += 1) {
    const next = await watchEventLoop(work);
    if (next.blockedMsMax < best.blockedMsMax) best = next;
  }
  return best;
}

/** Gives for how long a message may hold up the event loop of this machine. */
export function blockedMsAllowed(): number {
  return Math.max(blockedMsMax, readingsMax * readingMs());
}

/** How long this machine takes to read JSON of many keys, at the best of times. */
function readingMs(): number {
  const keys = Array.from({ length: 20_000 }, (_, n) => `"k${n}":1`);
  const text = `{${keys.join(',')}}`;
  const tookMs = Array.from({ length: 20 }, () => {
    const beganAtMs = performance.now();
    JSON.parse(text);
    return performance.now() - beganAtMs;
  });
  return Math.min(...tookMs);
}
