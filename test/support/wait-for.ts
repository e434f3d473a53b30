// Waits for a condition, with a time limit, instead of sleeping.
import { setTimeout as delay } from 'node:timers/promises';

// A tenth of the wait so far, so that waiting costs little and ends at most a tenth late.
const pollShare = 0.1;
const pollMs = { min: 10, max: 100 };

export interface WaitForOptions {
  readonly timeoutMs?: number;
  /** The expected result, for the error. */
  readonly what?: string;
  /** Returns the state when the time is up, for the error. */
  readonly state?: () => unknown;
}

/** Repeats `check` until it returns something other than undefined or false. Throws after `timeoutMs` (60 s). */
export async function waitFor<T>(
  check: () => T | undefined | false | Promise<T | undefined | false>,
  { timeoutMs = 60_000, what = 'the condition', state }: WaitForOptions = {},
): Promise<T> {
  const startedAtMs = performance.now();
  for (;;) {
    const value = await check();
    if (value !== undefined && value !== false) return value;
    const waitedMs = performance.now() - startedAtMs;
    if (waitedMs > timeoutMs) {
      const standing = state === undefined ? '' : `: ${JSON.stringify(await state())}`;
      throw new Error(`${what} did not come about within ${timeoutMs} ms${standing}`);
    }
    await delay(Math.min(pollMs.max, Math.max(pollMs.min, pollShare * waitedMs)));
  }
}
