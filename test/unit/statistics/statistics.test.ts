// What counts of a delivery, and when; percentiles; counts that are written together; the range of a query.
import type { AttemptState, AttemptTrigger } from '../../../lib/model/attempt.ts';
import { newId } from '../../../lib/platform/ids.ts';
import {
  addFact,
  type CountedDelivery,
  emptyCounts,
  factsOf,
  ownersOf,
} from '../../../lib/statistics/count-deliveries.ts';
import * as fc from 'fast-check';
import { dayMs, minuteMs } from '../../../lib/platform/duration.ts';
import { addDuration, addHistogram, percentilesOf } from '../../../lib/statistics/histogram.ts';
import type { Histogram, StatisticsInterval } from '../../../lib/model/statistics.ts';
import { Tally } from '../../../lib/statistics/tally.ts';
import { rangeOf } from '../../../api/stats/stats-range.ts';
import { AppError } from '../../../lib/platform/errors.ts';

const changedMs = Date.parse('2026-11-20T12:00:00Z');
const after = (ms: number): Date => new Date(changedMs + ms);

function attempt(
  atMs: number,
  state: AttemptState = 'delivered',
  trigger: AttemptTrigger = 'event',
) {
  return { at: after(atMs), ms: { total: 40 }, state, trigger };
}

function delivery(fields: Partial<CountedDelivery>): CountedDelivery {
  return {
    appUid: 'app_1',
    webhookUid: 'whk_1',
    eventId: newId('evt', new Date(changedMs)),
    event: 'agent.updated',
    state: 'delivered',
    requeuedAt: null,
    updatedAt: after(60_000),
    attempts: [],
    ...fields,
  };
}

test('each attempt counts at its end, with its state and its duration', () => {
  const attempts = [
    attempt(10, 'retrying'),
    attempt(5_000, 'exhausted', 'retry'),
    attempt(9_000, 'blocked', 'resend'),
  ];
  expect(factsOf(delivery({ state: 'blocked', attempts }))).toEqual([
    { atMs: changedMs + 50, outcome: 'retrying', attemptMs: 40, changeToReceiptMs: null },
    { atMs: changedMs + 5_040, outcome: 'exhausted', attemptMs: 40, changeToReceiptMs: null },
    { atMs: changedMs + 9_040, outcome: 'blocked', attemptMs: 40, changeToReceiptMs: null },
  ]);
});

test('a waiting or never attempted delivery counts nothing', () => {
  for (const state of ['pending', 'held', 'retrying'] as const) {
    expect(factsOf(delivery({ state }))).toEqual([]);
  }
});

test('a cancellation counts once, at its time, in addition to the attempts before it', () => {
  const facts = factsOf(delivery({ state: 'cancelled', attempts: [attempt(10, 'retrying')] }));
  expect(facts.map(({ outcome, atMs }) => [outcome, atMs - changedMs])).toEqual([
    ['retrying', 50],
    ['cancelled', 60_000],
  ]);
});

test.each<[string, Partial<CountedDelivery>, (number | null)[]]>([
  ['the first attempt', { attempts: [attempt(10)] }, [50]],
  [
    'a retry',
    { attempts: [attempt(10, 'retrying'), attempt(5_000, 'delivered', 'retry')] },
    [null, 5_040],
  ],
  ['a resend', { attempts: [attempt(90_000, 'delivered', 'resend')] }, [null]],
  [
    'a retry after a resend',
    {
      requeuedAt: after(80_000),
      attempts: [
        attempt(10),
        attempt(80_100, 'retrying', 'resend'),
        attempt(90_000, 'delivered', 'retry'),
      ],
    },
    [50, null, null],
  ],
])('the time from change to receipt of %s is counted correctly', (_of, fields, expected) => {
  const facts = factsOf(delivery(fields));
  expect(facts.map(({ changeToReceiptMs }) => changeToReceiptMs)).toEqual(expected);
});

test('the application counts its changes, and each webhook all its deliveries', () => {
  expect(ownersOf(delivery({}))).toEqual(['app_1', 'whk_1']);
  expect(ownersOf(delivery({ event: 'webhook.failing' }))).toEqual(['whk_1']);
});

test('counts contain the outcome, and durations only if there are any', () => {
  const counts = emptyCounts();
  const cancelled = { outcome: 'cancelled', attemptMs: null, changeToReceiptMs: null } as const;
  const delivered = { outcome: 'delivered', attemptMs: 0, changeToReceiptMs: 0 } as const;
  for (const fact of [cancelled, delivered, delivered]) addFact(counts, { atMs: 1, ...fact });
  expect(counts).toEqual({
    outcomes: { cancelled: 1, delivered: 2 },
    attemptMs: { 0: 2 },
    changeToReceiptMs: { 0: 2 },
  });
});

const longestMs = 15 * dayMs;
// Mostly short, like real durations, with some very long ones.
const durations = fc.array(
  fc.oneof(fc.integer({ min: 0, max: 6_000 }), fc.integer({ min: 0, max: longestMs })),
  { minLength: 1, maxLength: 300 },
);

function histogramOf(values: readonly number[]): Histogram {
  const histogram: Histogram = {};
  for (const value of values) addDuration(histogram, value);
  return histogram;
}

/** The nearest-rank percentile of all values. */
function exactly(values: readonly number[], share: number): number {
  const sorted = values.toSorted((one, other) => one - other);
  return sorted[Math.ceil(share * sorted.length) - 1] ?? Number.NaN;
}

test('a percentile is within 5 % of the exact one, and rounded', () => {
  fc.assert(
    fc.property(durations, (values) => {
      const found = percentilesOf(histogramOf(values));
      for (const [name, share] of [
        ['p50', 0.5],
        ['p95', 0.95],
        ['p99', 0.99],
      ] as const) {
        const exact = exactly(values, share);
        const error = Math.abs((found?.[name] ?? Number.NaN) - exact);
        expect(error).toBeLessThanOrEqual(0.05 * exact + 0.5 + 1e-6);
      }
    }),
    { numRuns: 1_000 },
  );
});

test('merged histograms are the histogram of all values, however they were divided', () => {
  fc.assert(
    fc.property(fc.array(durations, { maxLength: 8 }), (parts) => {
      const merged: Histogram = {};
      for (const part of parts) addHistogram(merged, histogramOf(part));
      expect(merged).toEqual(histogramOf(parts.flat()));
    }),
  );
});

test('a histogram without values has no percentiles, and those of 0 ms are 0', () => {
  expect(percentilesOf({})).toBeNull();
  expect(percentilesOf(histogramOf([0]))).toEqual({ p50: 0, p95: 0, p99: 0 });
});

test('the durations of two weeks have at most 220 buckets', () => {
  const values = Array.from({ length: 3_000 }, (_, n) => longestMs ** (n / 3_000));
  expect(Object.keys(histogramOf([0, ...values])).length).toBeLessThanOrEqual(220);
});

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

const rangeNow = new Date('2026-11-20T12:34:56.789Z');

type Asked = [interval: StatisticsInterval, since: string | null, until: string | null];

function rangeText([interval, since, until]: Asked) {
  const read = (text: string | null): Date | null => (text === null ? null : new Date(text));
  const range = rangeOf({ interval, since: read(since), until: read(until) }, rangeNow);
  return [range.since.toISOString(), range.until.toISOString()];
}

test.each<[StatisticsInterval, string | null, string | null, string, string]>([
  ['minute', null, null, '2026-11-20T11:34:00.000Z', '2026-11-20T12:35:00.000Z'],
  ['hour', null, null, '2026-11-19T12:00:00.000Z', '2026-11-20T13:00:00.000Z'],
  ['day', null, null, '2026-10-21T00:00:00.000Z', '2026-11-21T00:00:00.000Z'],
  [
    'day',
    '2026-11-20T13:00:00+02:00',
    '2026-11-21T00:00:00.001Z',
    '2026-11-20T00:00:00.000Z',
    '2026-11-22T00:00:00.000Z',
  ],
  ['hour', null, '2026-11-10T00:00:00Z', '2026-11-09T00:00:00.000Z', '2026-11-10T00:00:00.000Z'],
  [
    'minute',
    '2026-11-19T11:34:57Z',
    '2026-11-20T12:34:57Z',
    '2026-11-19T11:34:00.000Z',
    '2026-11-20T12:35:00.000Z',
  ],
  ['hour', null, '9999-12-31T23:00:00Z', '9999-12-30T23:00:00.000Z', '9999-12-31T23:00:00.000Z'],
])('in %ss, from %j until %j is answered as %s until %s', (...row) => {
  const [interval, since, until, ...expected] = row;
  expect(rangeText([interval, since, until])).toEqual(expected);
});

test.each([
  ['2026-11-20T09:00:00Z', '2026-11-20T12:00:00Z', 3],
  ['2026-11-20T09:30:00Z', '2026-11-20T12:30:00Z', 4],
])(
  'the hours from %s until %s are %i points, and are refused with fewer',
  (since, until, points) => {
    const asked = { interval: 'hour', since: new Date(since), until: new Date(until) } as const;
    expect(() => rangeOf(asked, rangeNow, points)).not.toThrow();
    expect(() => rangeOf(asked, rangeNow, points - 1)).toThrow(
      `at most ${points - 1} whole intervals`,
    );
  },
);

test.each<[StatisticsInterval, string | null, string | null, string]>([
  ['minute', '2026-11-20T11:00:00.001Z', '2026-11-20T12:00:00Z', '60 min to 25 h'],
  ['minute', '2026-11-19T10:59:59.999Z', '2026-11-20T12:00:00Z', '60 min to 25 h'],
  ['day', '2026-08-22T11:59:59.999Z', '2026-11-20T12:00:00Z', '60 min to 90 d'],
  ['hour', '2026-08-12T12:59:59Z', '2026-08-13T00:00:00Z', '2026-08-12T13:00:00.000Z or later'],
  ['day', '2025-10-16T23:00:00Z', '2025-10-18T00:00:00Z', '2025-10-17T00:00:00.000Z or later'],
  ['hour', '2026-10-20T11:59:59.999Z', '2026-11-20T12:00:00Z', '60 min to 31 d'],
  ['day', '2026-11-20T12:00:00Z', '2026-11-20T11:00:00Z', '60 min to 90 d'],
  ['hour', '2026-11-21T00:00:00Z', null, '60 min to 31 d'],
  ['minute', '2026-11-18T12:34:59Z', '2026-11-18T14:00:00Z', '2026-11-18T12:35:00.000Z or later'],
  ['hour', null, '9999-12-31T23:00:00.001Z', 'until must be 9999-12-31T23:00:00.000Z or earlier'],
])('in %ss, from %j until %j is refused with "%s"', (...row) => {
  const [interval, since, until, allowed] = row;
  const refusal = (): unknown => rangeText([interval, since, until]);
  expect(refusal).toThrow(AppError);
  expect(refusal).toThrow(allowed);
});
