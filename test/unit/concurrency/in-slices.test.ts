// Long work of one caller lets others run in between.
import { expect, test } from 'vitest';
import { inSlices } from '../../../lib/concurrency/in-slices.ts';

const busy = (forMs: number): void => {
  const endMs = performance.now() + forMs;
  while (performance.now() < endMs);
};

test.each([
  [5, ['first', 'other', 'second']],
  [0, ['first', 'second']],
])('after work of %i ms others run before the next item: %j', async (forMs, order) => {
  const ran: string[] = [];
  setImmediate(() => ran.push('other'));
  for await (const name of inSlices(['first', 'second'])) {
    ran.push(name);
    busy(forMs);
  }
  expect(ran).toEqual(order);
});

test('leaving the loop early ends the source of the items', async () => {
  let hasEnded = false;
  async function* numbers(): AsyncGenerator<number> {
    try {
      yield* [1, 2, 3];
    } finally {
      hasEnded = true;
    }
  }
  for await (const _ of inSlices(numbers())) break;
  expect(hasEnded).toBe(true);
});
