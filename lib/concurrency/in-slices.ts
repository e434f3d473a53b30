import { setImmediate as nextTurn } from 'node:timers/promises';

const sliceMsMax = 5;

/** Yields the items one by one, and yields to the event loop after each 5 ms of work on them. */
export async function* inSlices<Item>(
  items: Iterable<Item> | AsyncIterable<Item>,
): AsyncGenerator<Item, void> {
  let beganAtMs = performance.now();
  for await (const item of items) {
    yield item;
    if (performance.now() - beganAtMs < sliceMsMax) continue;
    await nextTurn();
    beganAtMs = performance.now();
  }
}
