// Long work of one caller lets others run in between.
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { inSlices } from '../../../lib/concurrency/in-slices.ts';

// Only the clock: the event loop is the real one.
beforeEach(() => void vi.useFakeTimers({ toFake: ['performance'] }));
afterEach(() => void vi.useRealTimers());

test.each([
  [5, ['first', 'other', 'second']],
  [2, ['first', 'second']],
])('after work of %i ms others run before the next item: %j', async (forMs, order) => {
  const ran: string[] = [];
  setImmediate(() => ran.push('other'));
  for await (const name of inSlices(['first', 'second'])) {
    ran.push(name);
    vi.advanceTimersByTime(forMs);
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
