// What a load costs this process in memory and in delay of its loop.
import { monitorEventLoopDelay } from 'node:perf_hooks';

const sampleEveryMs = 100;

export interface MemoryUse {
  /** Resident memory, in MB: before, at most, and that minus this. */
  before: number;
  most: number;
  growth: number;
  /** How late the event loop was, p99, in milliseconds. */
  loopDelayMs: number;
}

/** Watches this process while `load` runs. */
export async function watchMemory(load: () => Promise<void>): Promise<MemoryUse> {
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
