// Waits for something to become true, with a limit, in place of sleeping.
import { setTimeout as delay } from 'node:timers/promises';

const pollIntervalMs = 20;

export interface WaitForOptions {
  readonly timeoutMs?: number;
  /** What is waited for, named in the error. */
  readonly what?: string;
  /** Tells how things stand when the time is up, for the error. */
  readonly state?: () => unknown;
}

/** Repeats `check` until it gives something other than undefined or false; throws after `timeoutMs` (60 s). */
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
