import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createRefresher } from '../src/parts/refresher.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const everyMs = 1_000;

function counted(tookMs = 0) {
  const run = { count: 0 };
  const refresher = createRefresher(async () => {
    run.count += 1;
    await new Promise((resolve) => setTimeout(resolve, tookMs));
  }, everyMs);
  return { run, refresher };
}

test('the first request refreshes immediately, and all of the next second once', async () => {
  const { run, refresher } = counted();
  for (let n = 0; n < 50; n += 1) refresher.ask();
  expect(run.count).toBe(1);
  await vi.advanceTimersByTimeAsync(everyMs - 1);
  expect(run.count).toBe(1);
  await vi.advanceTimersByTimeAsync(1);
  expect(run.count).toBe(2);
  await vi.advanceTimersByTimeAsync(10 * everyMs);
  expect(run.count).toBe(2);
  refresher.ask();
  expect(run.count).toBe(3);
});

test('a slow refresh ends before the next one begins, which sees what came meanwhile', async () => {
  const { run, refresher } = counted(3 * everyMs);
  refresher.ask();
  await vi.advanceTimersByTimeAsync(2 * everyMs);
  refresher.ask();
  await vi.advanceTimersByTimeAsync(everyMs - 1);
  expect(run.count).toBe(1);
  await vi.advanceTimersByTimeAsync(1);
  expect(run.count).toBe(2);
});

test('a failed refresh does not stop later ones', async () => {
  const refresh = vi.fn(() => Promise.reject(new Error('unavailable')));
  const refresher = createRefresher(refresh, everyMs);
  refresher.ask();
  refresher.ask();
  await vi.advanceTimersByTimeAsync(everyMs);
  expect(refresh).toHaveBeenCalledTimes(2);
});

test('after its end it refreshes no more', async () => {
  const { run, refresher } = counted();
  refresher.ask();
  refresher.ask();
  refresher.stop();
  await vi.advanceTimersByTimeAsync(everyMs);
  expect(run.count).toBe(1);
});
