// Waits for a condition, with a time limit, instead of sleeping.
import { setTimeout as delay } from 'node:timers/promises';

const pollIntervalMs = 20;

export interface WaitForOptions {
  readonly timeoutMs?: number;
  /** The expected result, named in the error. */
  readonly what?: string;
  /** Returns the state when the time is up, for the error. */
  readonly state?: () => unknown;
}

/** Repeats `check` until it returns something other than undefined or false; throws after `timeoutMs` (60 s). */
export async function waitFor<T>(
  check: () => T | undefined | false | Promise<T | undefined | false>,
  { timeoutMs = 60_000, what = 'the condition', state }: WaitForOptions = {},
): Promise<T> {
  const deadline = performance.now() + timeoutMs;
  for (;;) {
    const value = await check();
    if (value !== undefined && value !== false) return value;
    if (performance.now() > deadline) {
      const standing = state === undefined ? '' : `: ${JSON.stringify(await state())}`;
      throw new Error(`${what} did not come about within ${timeoutMs} ms${standing}`);
    }
    await delay(pollIntervalMs);
  }
}
