import { expect, test } from 'vitest';
import { eachOf } from '../../../lib/concurrency/each-of.ts';

test('each item is taken once, in turn, and never more at a time than allowed', async () => {
  const items = [1, 2, 3, 4, 5, 6, 7];
  const taken: number[] = [];
  let underWay = 0;
  let underWayMax = 0;
  await eachOf(items, 3, async (item) => {
    taken.push(item);
    underWay += 1;
    underWayMax = Math.max(underWayMax, underWay);
    await new Promise(setImmediate);
    underWay -= 1;
  });
  expect(taken).toEqual(items);
  expect(underWayMax).toBe(3);
});

test('an error of one call is passed on, and of nothing nothing is called', async () => {
  const fail = async (): Promise<void> => {
    throw new Error('refused');
  };
  await expect(eachOf([1, 2], 3, fail)).rejects.toThrow('refused');
  await eachOf([], 3, fail);
});
