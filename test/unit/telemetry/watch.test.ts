import { expect, test } from 'vitest';
import { watch } from '../../../lib/telemetry/watch.ts';

test('a stop waits for no reading under way', async () => {
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
