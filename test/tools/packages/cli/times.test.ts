// The command line accepts the same times as the API, and times ago.
import { expect, test } from 'vitest';
import { readTime } from '../../../../packages/cli/src/arguments.ts';

test.each([
  ['2026-11-21T12:00:00Z', '2026-11-21T12:00:00.000Z'],
  ['2026-11-21T12:00+02:00', '2026-11-21T10:00:00.000Z'],
  ['2028-02-29T23:59:59.999-01:00', '2028-03-01T00:59:59.999Z'],
  ['0000-01-01T00:00:00Z', '0000-01-01T00:00:00.000Z'],
])('%s is the time %s', (text, expected) => {
  expect(readTime(text)).toBe(expected);
});

test.each([
  ['a number', '5'],
  ['a day without its year', '11/12'],
  ['a day that there is not', '2026-02-30T00:00:00Z'],
  ['a month that there is not', '2026-13-01T00:00:00Z'],
  ['an hour that there is not', '2026-11-21T25:00:00Z'],
  ['a time without its offset', '2026-11-21T12:00:00'],
  ['a day alone', '2026-11-21'],
  ['text around a time', ' 2026-11-21T12:00:00Z'],
  ['a year before 0 in UTC', '0000-01-01T00:00:00+00:01'],
  ['a time ago before the year 0', '999999d'],
  ['nothing', ''],
])('%s is not a time', (_, text) => {
  expect(() => readTime(text)).toThrow('Use ISO 8601, or 30s, 10m, 2h or 3d for that long ago.');
});

test('a time ago is subtracted from now', () => {
  const before = Date.now();
  const agoMs = before - Date.parse(readTime('2h'));
  expect(agoMs).toBeGreaterThan(2 * 3_600_000 - 10_000);
  expect(agoMs).toBeLessThanOrEqual(2 * 3_600_000);
});
