import { monitorEventLoopDelay } from 'node:perf_hooks';

const sampleEveryMs = 100;

export type MemoryUse = Awaited<ReturnType<typeof watchMemory>>;

/** Measures resident memory (MB) and the event loop's p99 delay of this process while `load` runs. */
export async function watchMemory(load: () => Promise<void>) {
  const residentMb = (): number => process.memoryUsage.rss() / 1024 / 1024;
  const before = residentMb();
  let most = before;
  const timer = setInterval(() => {
    most = Math.max(most, residentMb());
  }, sampleEveryMs);
  const delay = monitorEventLoopDelay();
  delay.enable();
  try {
    await load();
  } finally {
    clearInterval(timer);
    delay.disable();
  }
  return { before, most, growth: most - before, loopDelayMs: delay.percentile(99) / 1_000_000 };
}
