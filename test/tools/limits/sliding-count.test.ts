// The remaining limit of a subject, from two counts and the time.
import { expect, test } from 'vitest';
import { array, assert, integer, nat, property, record } from 'fast-check';
import { standingOf, windowOf } from '../../../api/access/sliding-count.ts';

const limit = { name: 'test', countMax: 10, windowMs: 60_000 };
const start = 60_000 * 1_000;

test.each([
  // previous, current, milliseconds into the window, remaining, reset
  [0, 0, 0, 10, 60],
  [0, 9, 0, 1, 60],
  [0, 10, 0, 0, 66],
  [0, 20, 0, 0, 93],
  [10, 0, 0, 0, 6],
  [10, 0, 5_999, 0, 1],
  [10, 0, 6_000, 1, 54],
  [10, 4, 30_000, 1, 30],
  [10, 5, 30_000, 0, 6],
])(
  'with counts of %d and %d, %d ms into the window, %d are left, and the reset is in %d s',
  (...row) => {
    const [previous, current, elapsedMs, remaining, resetSeconds] = row;
    const standing = standingOf(limit, { previous, current }, start + elapsedMs);
    expect(standing).toEqual({ isOver: remaining === 0, remaining, resetSeconds });
  },
);

test('a caller that waits for the returned time without a call is allowed again', () => {
  const counts = record({ previous: nat(50), current: nat(50) });
  assert(
    property(counts, integer({ min: 0, max: 59_999 }), (known, elapsedMs) => {
      const nowMs = start + elapsedMs;
      const { isOver, resetSeconds } = standingOf(limit, known, nowMs);
      if (!isOver) return;
      const thenMs = nowMs + resetSeconds * 1_000;
      const turned = windowOf(thenMs, limit) - windowOf(nowMs, limit);
      const then =
        turned === 0 ? known : { previous: turned === 1 ? known.current : 0, current: 0 };
      expect(standingOf(limit, then, thenMs).isOver).toBe(false);
    }),
    // A third of the previous window is not a finite fraction.
    { examples: [[{ previous: 0, current: 27 }, 0]], numRuns: 2_000 },
  );
});

test('no period as long as a window contains twice the limit', () => {
  const steps = array(integer({ min: 1, max: 20_000 }), { maxLength: 200 });
  assert(
    property(steps, (waitsMs) => {
      const taken: number[] = [];
      let nowMs = start;
      for (const waitedMs of waitsMs) {
        nowMs += waitedMs;
        const window = windowOf(nowMs, limit);
        const inWindow = (of: number): number =>
          taken.filter((at) => windowOf(at, limit) === of).length;
        const known = { previous: inWindow(window - 1), current: inWindow(window) };
        if (!standingOf(limit, known, nowMs).isOver) taken.push(nowMs);
      }
      // The previous window is assumed to be spread evenly, which it need not be.
      for (const end of taken) {
        const held = taken.filter((at) => at > end - limit.windowMs && at <= end).length;
        expect(held).toBeLessThan(2 * limit.countMax);
      }
    }),
  );
});
