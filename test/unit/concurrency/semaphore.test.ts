// A limit of concurrent work per key: others wait in order of arrival, and too long a wait is refused.
import { afterEach, beforeEach, expect, vi, test } from 'vitest';
import { type AcquireOptions, type Permit, Semaphore } from '../../../lib/concurrency/semaphore.ts';

const refusal = (reason: string): Error => new Error(`refused: ${reason}`);
const waitMsMax = 2_000;

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

interface Caller {
  permit?: Permit;
  fault?: unknown;
}

/** Requests a permit; the result is visible after `settle`. */
function ask(semaphore: Semaphore, options: AcquireOptions = {}, key = 'a'): Caller {
  const caller: Caller = {};
  semaphore.acquire(key, options).then(
    (permit) => (caller.permit = permit),
    (fault: unknown) => (caller.fault = fault),
  );
  return caller;
}

const askAll = (semaphore: Semaphore, count: number, options: AcquireOptions = {}): Caller[] =>
  Array.from({ length: count }, () => ask(semaphore, options));

const settle = async (afterMs = 0): Promise<void> =>
  void (await vi.advanceTimersByTimeAsync(afterMs));

const hasPermit = ({ permit }: Caller): boolean => permit !== undefined;

test('a key has a fixed number of permits, and a released one goes to the longest waiting caller', async () => {
  const semaphore = new Semaphore(2, refusal);
  const callers = askAll(semaphore, 4);
  await settle();
  expect(callers.map(hasPermit)).toEqual([true, true, false, false]);
  expect(semaphore.count('a')).toEqual({ held: 2, waiting: 2 });
  callers[1]?.permit?.release();
  await settle();
  expect(callers.map(hasPermit)).toEqual([true, true, true, false]);
});

test('callers of different keys do not wait for each other', async () => {
  const semaphore = new Semaphore(1, refusal);
  const callers = [ask(semaphore), ask(semaphore, {}, 'b')];
  await settle();
  expect(callers.map(hasPermit)).toEqual([true, true]);
});

test('releasing a permit twice releases it once', async () => {
  const semaphore = new Semaphore(1, refusal);
  const callers = askAll(semaphore, 3);
  await settle();
  callers[0]?.permit?.release();
  callers[0]?.permit?.release();
  await settle();
  expect(callers.map(hasPermit)).toEqual([true, true, false]);
  for (let n = 1; n < 3; n += 1) {
    callers[n]?.permit?.release();
    await settle();
  }
  expect(semaphore.count('a')).toEqual({ held: 0, waiting: 0 });
});

test('a caller at a full queue is refused immediately', async () => {
  const semaphore = new Semaphore(1, refusal, { queueMax: 1 });
  const [, waiting, refused] = askAll(semaphore, 3);
  const urgent = ask(semaphore, { queueMax: 2 });
  await settle();
  expect([waiting?.fault, refused?.fault, urgent.fault]).toEqual([
    undefined,
    refusal('too many wait already'),
    undefined,
  ]);
});

test('a caller that waits too long is refused, and its place in the queue goes to the next', async () => {
  const semaphore = new Semaphore(1, refusal, { waitMsMax });
  const [first, second] = askAll(semaphore, 2);
  await settle(waitMsMax / 2);
  const third = ask(semaphore);
  await settle(waitMsMax / 2);
  expect(second?.fault).toEqual(refusal('no permit came within 2000 ms'));
  first?.permit?.release();
  await settle();
  expect(hasPermit(third)).toBe(true);
  expect(second && hasPermit(second)).toBe(false);
});

test('a suspension of the process counts as one tick of the wait', async () => {
  vi.useRealTimers();
  const semaphore = new Semaphore(1, refusal, { waitMsMax: 300 });
  const { release } = await semaphore.acquire('a');
  const waiting = semaphore.acquire('a');
  // The timer is then late by more than the whole wait.
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 500);
  setTimeout(release, 1);
  (await waiting).release();
});

test('a waiting caller that aborts leaves the queue with the reason', async () => {
  const semaphore = new Semaphore(1, refusal);
  const stopping = new AbortController();
  const holding = ask(semaphore);
  const { signal } = stopping;
  const [stopped, behind] = [ask(semaphore, { signal }), ask(semaphore)];
  const reason = new Error('stopping');
  stopping.abort(reason);
  await settle();
  expect(stopped.fault).toBe(reason);
  holding.permit?.release();
  await settle();
  expect(hasPermit(behind)).toBe(true);
  const late = ask(semaphore, { signal });
  await settle();
  expect(late.fault).toBe(reason);
});

test('after waiting is ended, callers that wait or would have to are refused, and free permits are granted', async () => {
  const semaphore = new Semaphore(1, refusal);
  const [holding, waiting] = askAll(semaphore, 2);
  semaphore.endWaits();
  const later = ask(semaphore);
  await settle();
  const ended = refusal('the waits have ended');
  expect([waiting?.fault, later.fault]).toEqual([ended, ended]);
  holding?.permit?.release();
  const free = ask(semaphore);
  await settle();
  expect(hasPermit(free)).toBe(true);
});

test('work runs with a permit and returns it even when it fails', async () => {
  const semaphore = new Semaphore(1, refusal, { queueMax: 0 });
  const work = async (): Promise<string> => {
    await expect(semaphore.run('a', async () => 'other')).rejects.toThrow('too many wait already');
    return 'done';
  };
  expect(await semaphore.run('a', work)).toBe('done');
  await expect(semaphore.run('a', () => Promise.reject(new Error('no')))).rejects.toThrow('no');
  expect(semaphore.count('a').held).toBe(0);
});
