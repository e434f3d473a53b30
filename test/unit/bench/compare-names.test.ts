// Which scenarios two checkouts can be compared by.
import { expect, test } from 'vitest';
import { helpText } from '../../../dev/bench/arguments.ts';
import { pickShared, readNames } from '../../../dev/bench/compare-names.ts';
import { scenarios } from '../../../dev/bench/scenarios.ts';

const known = { a: ['light', 'burst', 'old'], b: ['light', 'burst', 'new'] };

test('the names in the help are those of all scenarios', () => {
  expect(readNames(helpText())).toEqual(scenarios.map(({ name }) => name));
});

test('what both have is picked, and what one has is noted', () => {
  expect(pickShared(['light', 'old', 'new'], known)).toEqual({
    names: ['light'],
    notes: [
      'Only A has the scenario old: not compared.',
      'Only B has the scenario new: not compared.',
    ],
  });
});

test('all names what either has', () => {
  const { names, notes } = pickShared(['all'], known);
  expect(names).toEqual(['light', 'burst']);
  expect(notes).toHaveLength(2);
});

test.each([
  { asked: ['light', 'none'], error: 'neither checkout has a scenario none' },
  { asked: ['old', 'new'], error: 'no scenario of old, new is in both checkouts' },
])('an error where nothing is to be compared: $error', ({ asked, error }) => {
  expect(() => pickShared(asked, known)).toThrow(error);
});
