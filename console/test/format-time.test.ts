import { describe, expect, it } from 'vitest';
import { formatDuration, formatUtc } from '../src/parts/format-time.ts';

describe('a duration', () => {
  it.each([
    [0, '0 ms'],
    [999.4, '999 ms'],
    [1_000, '1 s'],
    [61_000, '1 min 1 s'],
    [3_600_000, '1 h'],
    [2 * 3_600_000 + 5 * 60_000 + 9_000, '2 h 5 min'],
    [86_400_000, '1 d'],
    [86_400_000 + 60_000, '1 d'],
    [90_000_000, '1 d 1 h'],
  ])('of %d ms is shown as %s, with its two largest units', (ms, shown) => {
    expect(formatDuration(ms)).toBe(shown);
  });
});

describe('a time', () => {
  it('has its instant in UTC, to the millisecond', () => {
    expect(formatUtc('2026-11-23T04:05:06.007+02:00')).toBe('2026-11-23 02:05:06.007 UTC');
  });
});
