// A limit of concurrent work per key: callers wait in order of arrival, and are refused after the maximum wait.
import { afterEach, beforeEach, expect, vi, test } from 'vitest';
import { Semaphore } from '../../../lib/concurrency/semaphore.ts';

const refusal = (reason: string): Error => new Error(`refused: ${reason}`);
const waitMsMax = 2_000;

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

interface Caller {
  hasPermit: boolean;
  /** Ends its work. */
  end: () => void;
  fault?: unknown;
}

/** Requests a permit for work; the result is visible after `settle`. */
function ask(semaphore: Semaphore, key = 'a'): Caller {
  const caller: Caller = { hasPermit: false, end: () => undefined };
  const work = (): Promise<void> => {
    caller.hasPermit = true;
    return new Promise((resolve) => (caller.end = resolve));
  };
  semaphore.run(key, work).catch((fault: unknown) => (caller.fault = fault));
  return caller;
}

const askAll = (semaphore: Semaphore, count: number): Caller[] =>
  Array.from({ length: count }, () => ask(semaphore));

const settle = async (afterMs = 0): Promise<void> =>
  void (await vi.advanceTimersByTimeAsync(afterMs));

const hasPermit = (caller: Caller | undefined): boolean => caller?.hasPermit === true;

test('a key has a fixed number of permits, and a released one goes to the longest waiting caller', async () => {
  const semaphore = new Semaphore(2, refusal);
  const callers = askAll(semaphore, 4);
  await settle();
  expect(callers.map(hasPermit)).toEqual([true, true, false, false]);
  callers[1]?.end();
  await settle();
  expect(callers.map(hasPermit)).toEqual([true, true, true, false]);
});

test('callers of different keys do not wait for each other', async () => {
  const semaphore = new Semaphore(1, refusal);
  const callers = [ask(semaphore), ask(semaphore, 'b')];
  await settle();
  expect(callers.map(hasPermit)).toEqual([true, true]);
});

test('a caller at a full queue is refused immediately', async () => {
  const semaphore = new Semaphore(1, refusal, { queueMax: 1 });
  const [, waiting, refused] = askAll(semaphore, 3);
  await settle();
  expect([waiting?.fault, refused?.fault]).toEqual([
    undefined,
    refusal('too many requests are waiting'),
  ]);
});

test('a caller that waits too long is refused and leaves the queue', async () => {
  const semaphore = new Semaphore(1, refusal, { waitMsMax });
  const [first, second] = askAll(semaphore, 2);
  await settle(waitMsMax / 2);
  const third = ask(semaphore);
  await settle(waitMsMax / 2);
  expect(second?.fault).toEqual(refusal('no permit was free within 2000 ms'));
  first?.end();
  await settle();
  expect([second, third].map(hasPermit)).toEqual([false, true]);
});

test('a suspension of the process counts as one tick of the wait', async () => {
  vi.useRealTimers();
  const semaphore = new Semaphore(1, refusal, { waitMsMax: 300 });
  const holding = ask(semaphore);
  const waiting = semaphore.run('a', async () => 'granted');
  // The timer is then late by more than the whole wait.
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 500);
  setTimeout(() => holding.end(), 1);
  expect(await waiting).toBe('granted');
});

test('work runs with a permit and returns it even when it fails', async () => {
  const semaphore = new Semaphore(1, refusal, { queueMax: 0 });
  const work = async (): Promise<string> => {
    await expect(semaphore.run('a', async () => 'other')).rejects.toThrow(
      'too many requests are waiting',
    );
    return 'done';
  };
  expect(await semaphore.run('a', work)).toBe('done');
  await expect(semaphore.run('a', () => Promise.reject(new Error('no')))).rejects.toThrow('no');
  expect(await semaphore.run('a', work)).toBe('done');
});
