// The largest difference between the clocks of MongoDB's members.
import { expect, test } from 'vitest';
import { MemberClocks } from '../../../lib/mongo/member-clocks.ts';

/** Members send their time every 2 s. `delaysMs` are those of the last responses. */
function clocksOf(members: Record<string, { aheadMs: number; delaysMs: number[] }>): MemberClocks {
  const clocks = new MemberClocks();
  for (const [member, { aheadMs, delaysMs }] of Object.entries(members)) {
    delaysMs.forEach((delayMs, n) => {
      const nowMs = n * 2_000;
      clocks.record(member, { sentMs: nowMs + aheadMs, receivedMs: nowMs + delayMs });
    });
  }
  return clocks;
}

const prompt = [1, 1, 1];

test.each([
  ['equal clocks', { a: 0, b: 0, c: 0 }, 0],
  ['one clock ahead', { a: 0, b: 10_000, c: 0 }, 10_000],
  ['one clock behind', { a: 0, b: -1_500, c: 0 }, 1_500],
  ['one ahead and one behind', { a: 700, b: -700, c: 0 }, 1_400],
])('%s differ by the distance of the outermost', (_name, ahead, spreadMs) => {
  const members = Object.entries(ahead).map(([member, aheadMs]) => {
    return [member, { aheadMs, delaysMs: prompt }] as const;
  });
  expect(clocksOf(Object.fromEntries(members)).spread()?.spreadMs).toBe(spreadMs);
});

test('the members that are furthest ahead and behind are named', () => {
  const clocks = clocksOf({
    a: { aheadMs: 0, delaysMs: prompt },
    b: { aheadMs: 900, delaysMs: prompt },
    c: { aheadMs: -900, delaysMs: prompt },
  });
  expect(clocks.spread()).toEqual({ spreadMs: 1_800, ahead: 'b', behind: 'c' });
});

test('a delayed response is no difference of clocks', () => {
  const clocks = clocksOf({
    a: { aheadMs: 0, delaysMs: [5_000, 1, 8_000] },
    b: { aheadMs: 0, delaysMs: [1, 7_000, 7_000] },
  });
  expect(clocks.spread()?.spreadMs).toBe(0);
});

test('a corrected clock no longer differs after ten responses', () => {
  const clocks = clocksOf({
    a: { aheadMs: 0, delaysMs: prompt },
    b: { aheadMs: 5_000, delaysMs: prompt },
  });
  const corrected = { sentMs: 0, receivedMs: 1 };
  for (let n = 0; n < 9; n += 1) clocks.record('b', corrected);
  expect(clocks.spread()?.spreadMs).toBe(5_000);
  clocks.record('b', corrected);
  expect(clocks.spread()?.spreadMs).toBe(0);
});

test('a member counts from its third response, and until one fails', () => {
  const clocks = clocksOf({
    a: { aheadMs: 0, delaysMs: prompt },
    b: { aheadMs: 5_000, delaysMs: [1, 1] },
  });
  expect(clocks.spread()).toBeNull();
  clocks.record('b', { sentMs: 5_000, receivedMs: 1 });
  expect(clocks.spread()?.spreadMs).toBe(5_000);
  clocks.forget('b');
  expect(clocks.spread()).toBeNull();
});
