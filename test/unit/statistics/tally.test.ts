// The counts of a span, with limits on those in memory and those written together.
import { expect, test } from 'vitest';
import { minuteMs } from '../../../lib/platform/duration.ts';
import { newId } from '../../../lib/platform/ids.ts';
import { Tally } from '../../../lib/statistics/tally.ts';

const startMs = Date.parse('2026-11-20T12:00:00Z');
const inMinutes = (minutes: number): Date => new Date(startMs + minutes * minuteMs);
const span = { start: inMinutes(0), end: inMinutes(10) };

/** Tallies a delivery for each number: attempted once, in that minute, with its own webhook. */
function tallyOf(minutes: readonly number[], countMax?: number): Tally {
  const tally = new Tally(span, countMax);
  for (const minute of minutes) {
    const at = inMinutes(minute);
    tally.add({
      appUid: 'app_1',
      webhookUid: newId('whk'),
      eventId: newId('evt', at),
      event: 'agent.updated',
      state: 'delivered',
      requeuedAt: null,
      updatedAt: at,
      attempts: [{ at, trigger: 'event', state: 'delivered', ms: { total: 5 } }],
    });
  }
  return tally;
}

/** Returns the parts as minutes since the start of the span. */
const partsOf = (tally: Tally, countMax: number) =>
  tally.parts(countMax).map(({ start, end, counted }) => ({
    from: (start.getTime() - startMs) / minuteMs,
    to: (end.getTime() - startMs) / minuteMs,
    minutes: [...new Set(counted.map((each) => (each.minuteMs - startMs) / minuteMs))],
    count: counted.length,
  }));

test('a span in which nothing ended is one part', () => {
  expect(partsOf(tallyOf([-1, 10]), 1)).toEqual([{ from: 0, to: 10, minutes: [], count: 0 }]);
});

// A minute has one count per webhook and one for the application.
test.each([
  ['are one part up to the limit of counts', 5, [{ from: 0, to: 10, minutes: [2, 6], count: 5 }]],
  [
    'are several parts above the limit',
    4,
    [
      { from: 0, to: 6, minutes: [2], count: 3 },
      { from: 6, to: 10, minutes: [6], count: 2 },
    ],
  ],
  [
    'are one part each if each exceeds the limit',
    1,
    [
      { from: 0, to: 6, minutes: [2], count: 3 },
      { from: 6, to: 10, minutes: [6], count: 2 },
    ],
  ],
])('the minutes of a span %s', (_rule, countMax, parts) => {
  expect(partsOf(tallyOf([6, 2, 2]), countMax)).toEqual(parts);
});

test.each([
  ['holds no more counts', 5, { from: 0, to: 6, minutes: [1, 3], count: 5 }],
  ['holds at least one minute', 1, { from: 0, to: 3, minutes: [1], count: 3 }],
])('a span is shortened so that it %s', (_rule, countMax, part) => {
  const inOrder = [1, 1, 3, 6, 8];
  for (const minutes of [inOrder, inOrder.toReversed()]) {
    expect(partsOf(tallyOf(minutes, countMax), Infinity)).toEqual([part]);
  }
});
