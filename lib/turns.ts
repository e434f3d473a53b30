// Lets only so many costly things run at once, and refuses what would wait too long.
import { AppError } from './errors.ts';

/** Runs work when its turn comes. Throws `overloaded` when too many wait already, or for too long. */
export interface Turns {
  <T>(work: () => Promise<T>): Promise<T>;
  /** How many run, and how many wait for their turn. */
  standing(): { running: number; waiting: number };
}

export interface TurnsOptions {
  /** So many run at a time. */
  atOnceMax: number;
  /** So many more wait, in the order they came. */
  waitingMax: number;
  /** Nobody waits longer; without it, as long as it takes. */
  waitMsMax?: number;
}

/** Makes turns. */
export function createTurns({ atOnceMax, waitingMax, waitMsMax }: TurnsOptions): Turns {
  const waiting = new Set<() => void>();
  let running = 0;

  async function takePlace(): Promise<void> {
    if (running < atOnceMax) {
      running += 1;
      return;
    }
    if (waiting.size >= waitingMax) throw overloaded('too many callers wait for this; try again');
    // The place of whoever ends is handed on, so `running` stays as it is.
    await new Promise<void>((resolve, reject) => {
      const begin = (): void => {
        clearTimeout(timer);
        resolve();
      };
      const giveUp = (): void => {
        waiting.delete(begin);
        reject(overloaded(`no turn came within ${waitMsMax} ms; try again`));
      };
      const timer = waitMsMax === undefined ? undefined : setTimeout(giveUp, waitMsMax);
      waiting.add(begin);
    });
  }

  async function run<T>(work: () => Promise<T>): Promise<T> {
    await takePlace();
    try {
      return await work();
    } finally {
      const [next] = waiting;
      if (next === undefined) {
        running -= 1;
      } else {
        waiting.delete(next);
        next();
      }
    }
  }

  return Object.assign(run, { standing: () => ({ running, waiting: waiting.size }) });
}

const retryAfterSecondsMin = 2;
const retryAfterSecondsSpread = 4;

/** Makes the error of too much to do. The waits are spread, so that the refused do not return at once. */
export function overloaded(detail: string): AppError {
  const seconds = retryAfterSecondsMin + Math.floor(Math.random() * retryAfterSecondsSpread);
  return new AppError('overloaded', detail, { retryAfterSeconds: seconds });
}
