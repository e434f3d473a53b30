// The window of workflow starts: how many may be under way, and for how long each keeps its place.
import { expect, test } from 'vitest';
import { array, assert, nat, property, record } from 'fast-check';
import { StartWindow } from '../../../lib/dispatch/start-window.ts';

const limits = { places: 2, holdTimes: 4, holdMsMax: 2_000, promiseMs: 1_000 };

/** Begins a start where there is a place; else fails. */
function begin(window: StartWindow, nowMs: number, workflowId: string | null = null) {
  const end = window.begin(workflowId, nowMs);
  if (end === null) throw new Error(`no place is free at ${nowMs} ms`);
  return end;
}

test('a start keeps its place for four times as long as it took', () => {
  const window = new StartWindow({ ...limits, places: 1 });
  begin(window, 0)(10, 10);
  expect(window.waitMs(10)).toBe(30);
  expect(window.begin(null, 39)).toBeNull();
  begin(window, 40)(140, 100);
  expect(window.begin(null, 439)).toBeNull();
  begin(window, 440);
});

test('no place is held for more than two seconds after its start', () => {
  const window = new StartWindow({ ...limits, places: 1 });
  begin(window, 0)(5_000, 5_000);
  expect(window.begin(null, 6_999)).toBeNull();
  begin(window, 7_000)(7_100, 0);
  begin(window, 7_100);
});

test('a full workflow does not wait for the end of a hold, but for starts under way and promised places', () => {
  const window = new StartWindow(limits);
  const endFirst = begin(window, 0);
  expect(window.promise('event/evt_1', 0)).toBe(true);
  expect(window.begin(null, 10, true)).toBeNull();
  endFirst(100, 100);
  expect(window.begin(null, 110)).toBeNull();
  expect(window.begin(null, 110, true)).not.toBeNull();
  expect(window.begin(null, 120, true)).toBeNull();
  begin(window, 130, 'event/evt_1')(140, 10);
  expect(window.begin(null, 150)).toBeNull();
  expect(window.begin(null, 150, true)).not.toBeNull();
});

test('while all places have a start under way, no time is known after which one is free', () => {
  const window = new StartWindow(limits);
  const ends = [begin(window, 0), begin(window, 0)];
  expect(window.begin(null, 60_000)).toBeNull();
  expect(window.waitMs(60_000)).toBe(Infinity);
  ends[0]?.(100, 100);
  expect(window.waitMs(100)).toBe(300);
});

test('a promised place is for its workflow alone', () => {
  const window = new StartWindow({ ...limits, places: 1 });
  expect(window.promise('event/evt_1', 0)).toBe(true);
  expect(window.promise('event/evt_1', 0)).toBe(true);
  expect(window.promise('event/evt_2', 0)).toBe(false);
  expect(window.begin(null, 999)).toBeNull();
  expect(window.begin('event/evt_2', 999)).toBeNull();
  begin(window, 999, 'event/evt_1')(1_000, 1);
  expect(window.waitMs(1_000)).toBe(3);
});

test('a promise that is not used lapses after a second, and then comes without a place', () => {
  const window = new StartWindow({ ...limits, places: 1 });
  expect(window.promise('event/evt_1', 0)).toBe(true);
  begin(window, 1_000);
  expect(window.begin('event/evt_1', 1_000)).toBeNull();
});

test('whatever starts take, those of workflows that are not full use at most a quarter of the time of their places', () => {
  const starts = array(record({ afterMs: nat(200), tookMs: nat(300) }), { maxLength: 200 });
  assert(
    property(starts, (steps) => {
      const window = new StartWindow(limits);
      let [nowMs, usedMs, longestMs] = [0, 0, 0];
      for (const { afterMs, tookMs } of steps) {
        nowMs += afterMs;
        const end = window.begin(null, nowMs);
        if (end === null) continue;
        end(nowMs + tookMs, tookMs);
        usedMs += tookMs;
        longestMs = Math.max(longestMs, tookMs);
        // The last start of each place has not used up its time yet.
        const timeMs = limits.places * (nowMs / limits.holdTimes + longestMs);
        expect(usedMs).toBeLessThanOrEqual(timeMs + 1e-6);
      }
    }),
  );
});
