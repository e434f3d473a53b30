// Items that share a call, and the result of each.
import { expect, test } from 'vitest';
import { coalesce, type CoalesceOptions } from '../../../lib/concurrency/coalesce.ts';
import { CallTimeoutError } from '../../../lib/concurrency/with-timeout.ts';

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

test('an item does not join a call that has started, but the next one', async () => {
  const { ask, calls } = controlled({ itemsPerCallMax: 10, concurrentCallsMax: 1 });
  const first = ask(1);
  await turn();
  const later = [ask(2), ask(3)];
  await turn();
  expect(calls).toHaveLength(1);
  calls[0]?.end([10]);
  expect(await first).toBe(10);
  await turn();
  expect(calls[1]?.items).toEqual([2, 3]);
  calls[1]?.end([20, 30]);
  expect(await Promise.all(later)).toEqual([20, 30]);
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
