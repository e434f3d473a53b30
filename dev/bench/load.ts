import { setTimeout as delay } from 'node:timers/promises';
import { nowMs } from './clock.ts';
import { inTurns } from './in-turns.ts';

/** Arrivals at a constant rate, whether or not earlier calls have finished. */
export interface OpenLoad {
  model: 'open';
  ratePerSecond: number;
  seconds: number;
}

/** Concurrent callers, each calling again as soon as it has a response. */
export interface ClosedLoad {
  model: 'closed';
  callers: number;
  calls: number;
  secondsMax: number;
}

/** One call at a time, made `pauseMs` after the previous one has arrived everywhere. */
interface SingleLoad {
  model: 'single';
  calls: number;
  pauseMs: number;
  secondsMax: number;
}

export type Load = OpenLoad | ClosedLoad | SingleLoad;

interface LoadTarget {
  /** Makes one call. Resolves to its number when it has ended, even if it failed. */
  call(intendedAtMs: number): Promise<number>;
  /** Resolves when the event of a call has arrived everywhere, or never will. */
  settled(call: number): Promise<void>;
  signal: AbortSignal;
}

// In an open model callers never wait, but a driver must: excess arrivals are dropped and counted.
const outstandingMax = 1_000;

/** Makes the calls of a load. Resolves to the number of dropped arrivals once all have ended. */
export async function runLoad(load: Load, target: LoadTarget): Promise<number> {
  if (load.model === 'open') return runOpen(load, target);
  return load.model === 'closed' ? runClosed(load, target) : runSingle(load, target);
}

async function runOpen({ ratePerSecond, seconds }: OpenLoad, target: LoadTarget): Promise<number> {
  const arrivals = Math.max(1, Math.round(ratePerSecond * seconds));
  const startMs = nowMs();
  const outstanding = new Set<Promise<unknown>>();
  let dropped = 0;
  for (let n = 0; n < arrivals; n += 1) {
    const intendedAtMs = startMs + (n * 1_000) / ratePerSecond;
    const waitMs = intendedAtMs - nowMs();
    if (waitMs > 0) await delay(waitMs, undefined, { signal: target.signal });
    target.signal.throwIfAborted();
    if (outstanding.size >= outstandingMax) {
      dropped += 1;
      continue;
    }
    const call = target.call(intendedAtMs).finally(() => outstanding.delete(call));
    outstanding.add(call);
  }
  await Promise.all(outstanding);
  return dropped;
}

async function runClosed(load: ClosedLoad, target: LoadTarget): Promise<number> {
  const endMs = nowMs() + load.secondsMax * 1_000;
  await inTurns({ count: load.calls, atOnce: load.callers }, async () => {
    target.signal.throwIfAborted();
    if (nowMs() < endMs) await target.call(nowMs());
  });
  return 0;
}

async function runSingle(load: SingleLoad, target: LoadTarget): Promise<number> {
  const endMs = nowMs() + load.secondsMax * 1_000;
  for (let n = 0; n < load.calls && nowMs() < endMs; n += 1) {
    const call = await target.call(nowMs());
    await target.settled(call);
    await delay(load.pauseMs, undefined, { signal: target.signal });
  }
  return 0;
}
