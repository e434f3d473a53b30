// Waits for something to become true, with a limit, in place of sleeping.
import { setTimeout as delay } from 'node:timers/promises';

const pollIntervalMs = 20;

export interface WaitForOptions {
  readonly timeoutMs?: number;
  /** What is waited for, named in the error. */
  readonly what?: string;
}

/** Repeats `check` until it gives something other than undefined or false; throws after `timeoutMs` (5 s). */
export async function waitFor<T>(
  check: () => T | undefined | false | Promise<T | undefined | false>,
  { timeoutMs = 5000, what = 'the condition' }: WaitForOptions = {},
): Promise<T> {
  const deadline = performance.now() + timeoutMs;
  for (;;) {
    const value = await check();
    if (value !== undefined && value !== false) return value;
    if (performance.now() > deadline) {
      throw new Error(`${what} did not come about within ${timeoutMs} ms`);
    }
    await delay(pollIntervalMs);
  }
}
