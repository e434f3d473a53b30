import { cpus } from 'node:os';

/** Returns a function that returns the share of the machine's processors that was idle since this call, from 0 to 1. */
export function watchIdleShare(): () => number {
  const before = processorTimes();
  return () => {
    const { idleMs, allMs } = processorTimes();
    return (idleMs - before.idleMs) / (allMs - before.allMs);
  };
}

function processorTimes(): { idleMs: number; allMs: number } {
  const times = cpus().map((each) => each.times);
  const idleMs = times.reduce((sum, { idle }) => sum + idle, 0);
  return { idleMs, allMs: times.flatMap(Object.values).reduce((sum, ms) => sum + ms, 0) };
}
