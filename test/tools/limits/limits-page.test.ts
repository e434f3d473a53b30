// The page of limits, docs/limits.md.
import { expect, test } from 'vitest';
import { withUnit } from '../../../dev/limits/limits-page.ts';
import * as exported from '../../../lib/limits.ts';

test('all groups of lib/limits.ts are on the page', () => {
  const { limitGroups, described: _, ...groups } = exported;
  expect(groups).toEqual(limitGroups);
});

test.each([
  ['bodyBytesMax', 2 * 1_024 ** 2, '2 MiB'],
  ['bodyBytesMax', 1_025, '1,025 bytes'],
  ['waitMsMax', 90_000, '90 s'],
  ['lifetimeMs', 43_200_000, '12 h'],
  ['nameCharactersMax', 4_000, '4,000 characters'],
  ['replayedPerSecondMax', 100, '100 a second'],
  ['itemsMax', 10_000, '10,000'],
])('%s of %d is shown as %s', (name, value, shown) => {
  expect(withUnit(name, value)).toBe(shown);
});
