import { getEventListeners } from 'node:events';
import { expect, test } from 'vitest';
import { watch } from '../../../lib/telemetry/watch.ts';

test('a stop does not wait for a read in flight', async () => {
  const stopping = new AbortController();
  const watching = watch(() => new Promise<void>(() => undefined), stopping);
  stopping.abort();
  await watching;
});

test('after a stop nothing is read', async () => {
  let readings = 0;
  const read = async (): Promise<void> => {
    readings += 1;
  };
  await watch(read, { signal: AbortSignal.abort() });
  expect(readings).toBe(0);
});

test('many reads leave no listener behind on the signal', async () => {
  const stopping = new AbortController();
  let readings = 0;
  const read = async (): Promise<void> => {
    readings += 1;
    if (readings === 20) stopping.abort();
    // The listener of this read.
    else expect(getEventListeners(stopping.signal, 'abort').length).toBeLessThanOrEqual(1);
  };
  await watch(read, { signal: stopping.signal, everyMs: 1 });
  expect(readings).toBe(20);
});
