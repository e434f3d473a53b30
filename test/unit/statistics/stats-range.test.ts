import { expect, test } from 'vitest';
import { rangeOf } from '../../../api/stats/stats-range.ts';
import type { StatisticsInterval } from '../../../lib/model/statistics.ts';
import { AppError } from '../../../lib/platform/errors.ts';

const now = new Date('2026-11-20T12:34:56.789Z');

type Asked = [interval: StatisticsInterval, since: string | null, until: string | null];

function rangeText([interval, since, until]: Asked) {
  const read = (text: string | null): Date | null => (text === null ? null : new Date(text));
  const range = rangeOf({ interval, since: read(since), until: read(until) }, now);
  return [range.since.toISOString(), range.until.toISOString()];
}

test.each<[StatisticsInterval, string | null, string | null, string, string]>([
  ['minute', null, null, '2026-11-20T11:34:00.000Z', '2026-11-20T12:35:00.000Z'],
  ['hour', null, null, '2026-11-19T12:00:00.000Z', '2026-11-20T13:00:00.000Z'],
  ['day', null, null, '2026-10-21T00:00:00.000Z', '2026-11-21T00:00:00.000Z'],
  [
    'hour',
    '2026-11-20T10:00:00Z',
    '2026-11-20T11:00:00Z',
    '2026-11-20T10:00:00.000Z',
    '2026-11-20T11:00:00.000Z',
  ],
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
  ['2026-11-20T09:30:00Z', '2026-11-20T12:00:00Z', 3],
  ['2026-11-20T09:30:00Z', '2026-11-20T12:30:00Z', 4],
])(
  'the hours from %s until %s are %i points, and are refused with fewer',
  (since, until, points) => {
    const asked = { interval: 'hour', since: new Date(since), until: new Date(until) } as const;
    expect(() => rangeOf(asked, now, points)).not.toThrow();
    expect(() => rangeOf(asked, now, points - 1)).toThrow(`at most ${points - 1} whole intervals`);
  },
);

test.each<[StatisticsInterval, string | null, string | null, string]>([
  ['minute', '2026-11-20T11:00:00.001Z', '2026-11-20T12:00:00Z', '60 min to 25 h'],
  ['minute', '2026-11-19T10:59:59.999Z', '2026-11-20T12:00:00Z', '60 min to 25 h'],
  ['hour', '2026-10-20T11:59:59.999Z', '2026-11-20T12:00:00Z', '60 min to 31 d'],
  ['day', '2026-08-22T11:59:59.999Z', '2026-11-20T12:00:00Z', '60 min to 90 d'],
  ['day', '2026-11-20T12:00:00Z', '2026-11-20T11:00:00Z', '60 min to 90 d'],
  ['hour', '2026-11-21T00:00:00Z', null, '60 min to 31 d'],
  ['minute', '2026-11-18T12:34:59Z', '2026-11-18T14:00:00Z', '2026-11-18T12:35:00.000Z or later'],
  ['hour', '2026-08-12T12:59:59Z', '2026-08-13T00:00:00Z', '2026-08-12T13:00:00.000Z or later'],
  ['day', '2025-10-16T23:00:00Z', '2025-10-18T00:00:00Z', '2025-10-17T00:00:00.000Z or later'],
  ['hour', null, '9999-12-31T23:00:00.001Z', 'until must be 9999-12-31T23:00:00.000Z or earlier'],
  ['day', null, '9999-12-31T00:00:01Z', 'until must be 9999-12-31T00:00:00.000Z or earlier'],
])('in %ss, from %j until %j is refused with "%s"', (...row) => {
  const [interval, since, until, allowed] = row;
  const refusal = (): unknown => rangeText([interval, since, until]);
  expect(refusal).toThrow(AppError);
  expect(refusal).toThrow(allowed);
});
