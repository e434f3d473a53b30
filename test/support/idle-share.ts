import { cpus } from 'node:os';

/** Returns a function that returns the share of the machine's processors that was idle since this call, from 0 to 1. */
export function watchIdleShare(): () => number {
  const before = processorTimes();
  return () => {
    const { idleMs, allMs } = processorTimes();
    return (idleMs - before.idleMs) / (allMs - before.allMs);
  };
}

/** Tells whether other programs fill this machine, so that lateness cannot be judged, and says so if they do. */
export function isFull(idleShare: number, idleShareMin: number): boolean {
  if (idleShare >= idleShareMin) return false;
  process.stdout.write(`not judged: only ${idleShare} of this machine was idle\n`);
  return true;
}

function processorTimes(): { idleMs: number; allMs: number } {
  const times = cpus().map((each) => each.times);
  const idleMs = times.reduce((sum, { idle }) => sum + idle, 0);
  return { idleMs, allMs: times.flatMap(Object.values).reduce((sum, ms) => sum + ms, 0) };
}
