// Items that share a call, calls with a limit, and work in slices.
import { coalesce, type CoalesceOptions } from '../../../lib/concurrency/coalesce.ts';
import { CallTimeoutError } from '../../../lib/concurrency/with-timeout.ts';
import { forEachLimit } from '../../../lib/concurrency/for-each-limit.ts';
import { inSlices } from '../../../lib/concurrency/in-slices.ts';
import { throttleById } from '../../../lib/concurrency/throttle-by-id.ts';
import { fakeOnly } from '../../support/fake-only.ts';

interface Call {
  items: readonly number[];
  end: (results: number[]) => void;
  fail: (reason: Error) => void;
}

/** A coalesced function whose calls end when the test says so. */
function controlled(options: CoalesceOptions) {
  const calls: Call[] = [];
  const ask = coalesce(
    options,
    (items: readonly number[]) =>
      new Promise<number[]>((resolve, reject) => {
        calls.push({ items, end: resolve, fail: reject });
      }),
  );
  return { ask, calls };
}

const turn = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve));

test('items of the same turn of the event loop share one call, and each gets its own result', async () => {
  const { ask, calls } = controlled({ itemsPerCallMax: 10, concurrentCallsMax: 1 });
  const results = [1, 2, 3].map(ask);
  await turn();
  expect(calls.map((call) => call.items)).toEqual([[1, 2, 3]]);
  calls[0]?.end([10, 20, 30]);
  expect(await Promise.all(results)).toEqual([10, 20, 30]);
});

test('the items of a call and the concurrent calls are limited', async () => {
  const { ask, calls } = controlled({ itemsPerCallMax: 2, concurrentCallsMax: 2 });
  const results = [1, 2, 3, 4, 5].map(ask);
  await turn();
  await turn();
  await turn();
  expect(calls.map((call) => call.items)).toEqual([
    [1, 2],
    [3, 4],
  ]);
  calls[1]?.end([30, 40]);
  await turn();
  await turn();
  expect(calls[2]?.items).toEqual([5]);
  calls[0]?.end([10, 20]);
  calls[2]?.end([50]);
  expect(await Promise.all(results)).toEqual([10, 20, 30, 40, 50]);
});

test('a failed call rejects only its own items, and later calls continue', async () => {
  const { ask, calls } = controlled({ itemsPerCallMax: 2, concurrentCallsMax: 1 });
  const [one, two, three] = [1, 2, 3].map(ask);
  await turn();
  calls[0]?.fail(new Error('away'));
  await expect(one).rejects.toThrow('away');
  await expect(two).rejects.toThrow('away');
  await turn();
  calls[1]?.end([30]);
  expect(await three).toBe(30);
});

test('the items of a call that exceeds its time limit are rejected, and the next call starts', async () => {
  const { ask, calls } = controlled({
    itemsPerCallMax: 1,
    concurrentCallsMax: 1,
    callTimeoutMs: 20,
  });
  const [hanging, next] = [ask(1), ask(2)];
  await expect(hanging).rejects.toThrow(CallTimeoutError);
  await turn();
  calls[1]?.end([20]);
  expect(await next).toBe(20);
  // Its late end has no effect.
  calls[0]?.end([10]);
  const last = ask(3);
  await turn();
  calls[2]?.end([30]);
  expect(await last).toBe(30);
});

test('items share calls with those of their queue, and wait for no other queue', async () => {
  const calls: (readonly string[])[] = [];
  const ends: (() => void)[] = [];
  const ask = coalesce(
    { itemsPerCallMax: 10, concurrentCallsMax: 1 },
    (items: readonly string[]) =>
      new Promise<readonly string[]>((resolve) => {
        calls.push(items);
        ends.push(() => resolve(items));
      }),
    (item) => item[0] ?? '',
  );
  const results = ['a1', 'b1', 'a2'].map(ask);
  await turn();
  const later = ask('a3');
  await turn();
  expect(calls).toEqual([['a1', 'a2'], ['b1']]);
  for (const end of ends.splice(0)) end();
  expect(await Promise.all(results)).toEqual(['a1', 'b1', 'a2']);
  await turn();
  expect(calls.at(-1)).toEqual(['a3']);
  for (const end of ends) end();
  expect(await later).toBe('a3');
});

test('each item is handled once, in order, and never more concurrently than allowed', async () => {
  const items = [1, 2, 3, 4, 5, 6, 7];
  const taken: number[] = [];
  let inFlight = 0;
  let inFlightMax = 0;
  await forEachLimit(items, 3, async (item) => {
    taken.push(item);
    inFlight += 1;
    inFlightMax = Math.max(inFlightMax, inFlight);
    await new Promise(setImmediate);
    inFlight -= 1;
  });
  expect(taken).toEqual(items);
  expect(inFlightMax).toBe(3);
});

test('the error of a call is passed on, and an empty list causes no call', async () => {
  const fail = async (): Promise<void> => {
    throw new Error('refused');
  };
  await expect(forEachLimit([1, 2], 3, fail)).rejects.toThrow('refused');
  await forEachLimit([], 3, fail);
});

// Only the clock: the event loop is the real one.
beforeEach(() => fakeOnly('performance'));
afterEach(() => void jest.useRealTimers());

test.each([
  [5, ['first', 'other', 'second']],
  [2, ['first', 'second']],
])('after work of %i ms others run before the next item: %j', async (forMs, order) => {
  const ran: string[] = [];
  setImmediate(() => ran.push('other'));
  for await (const name of inSlices(['first', 'second'])) {
    ran.push(name);
    jest.advanceTimersByTime(forMs);
  }
  expect(ran).toEqual(order);
});

const at = (ms: number): Date => new Date(Date.UTC(2026, 0, 1) + ms);

test('one use per period is due, the first one immediately', () => {
  const isDue = throttleById(1_000);
  const written = [0, 1, 999, 1_000, 1_001, 1_999, 2_000].filter((ms) => isDue('a', at(ms), null));
  expect(written).toEqual([0, 1_000, 2_000]);
});

test('a use is not due if another process stored a time within the period or a later one', () => {
  const isDue = throttleById(1_000);
  expect(isDue('a', at(1_000), at(1))).toBe(false);
  expect(isDue('a', at(1_000), at(5_000))).toBe(false);
  expect(isDue('a', at(1_000), at(0))).toBe(true);
});

test('the memory is bounded: after 10,000 other IDs the first is due again', () => {
  const isDue = throttleById(1_000);
  for (let n = 0; n < 10_000; n += 1) isDue(String(n), at(0), null);
  expect(isDue('9999', at(1), null)).toBe(false);
  expect(isDue('one more', at(1), null)).toBe(true);
  expect(isDue('0', at(1), null)).toBe(true);
});
