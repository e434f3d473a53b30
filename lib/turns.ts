// Lets only so many costly things run at once, and refuses what would wait too long.
import { AppError } from './errors.ts';

/** Runs work when its turn comes. Throws `unavailable` when too many wait already. */
export type Turns = <T>(work: () => Promise<T>) => Promise<T>;

/** Makes turns: `atOnceMax` run at a time, `waitingMax` more wait in the order they came. */
export function createTurns({
  atOnceMax,
  waitingMax,
}: {
  atOnceMax: number;
  waitingMax: number;
}): Turns {
  const waiting: (() => void)[] = [];
  let running = 0;

  async function takePlace(): Promise<void> {
    if (running < atOnceMax) {
      running += 1;
      return;
    }
    if (waiting.length >= waitingMax) {
      const headers = { 'retry-after': '5' };
      throw new AppError('unavailable', 'too many callers wait for this; try again', { headers });
    }
    // The place of whoever ends is handed on, so `running` stays as it is.
    await new Promise<void>((resolve) => waiting.push(resolve));
  }

  return async (work) => {
    await takePlace();
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      if (next === undefined) running -= 1;
      else next();
    }
  };
}
