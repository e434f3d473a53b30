// docs/limits.md is the output of `npm run limits`.
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { limitsPage, withUnit } from '../../../dev/limits/limits-page.ts';
import * as groups from '../../../lib/limits.ts';

const source = readFileSync('lib/limits.ts', 'utf8');

test('docs/limits.md shows the present limits', () => {
  expect(readFileSync('docs/limits.md', 'utf8')).toBe(limitsPage(source, groups));
});

test('each limit and each group has a comment, which the page shows', () => {
  for (const [comment] of source.matchAll(/^ *\/\*\* .*\n/gm)) {
    expect(() => limitsPage(source.replace(comment, ''), groups)).toThrow('no /** comment */');
  }
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
