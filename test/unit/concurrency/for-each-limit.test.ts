import { expect, test } from 'vitest';
import { forEachLimit } from '../../../lib/concurrency/for-each-limit.ts';

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
