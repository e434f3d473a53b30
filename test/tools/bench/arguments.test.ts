// The command line of a comparison.
import { expect, test } from 'vitest';
import { readArguments } from '../../../dev/bench/arguments.ts';

const comparisonOf = (...args: string[]) => readArguments(['compare', ...args]).comparison;

test('two rounds of light and burst by default', () => {
  expect(comparisonOf('../before')).toEqual({
    dir: '../before',
    names: ['light', 'burst'],
    rounds: 2,
    options: [],
  });
});

test('options that differ from the defaults are passed on, and names are not checked', () => {
  const options = ['--seconds', '5', '--rate', '40', '--short', '--path', 'agents'];
  expect(comparisonOf('../before', 'busy', 'unknown', '--rounds', '3', ...options)).toEqual({
    dir: '../before',
    names: ['busy', 'unknown'],
    rounds: 3,
    options,
  });
});

test.each([
  { args: ['compare'], error: 'compare needs the folder of another checkout' },
  {
    args: ['compare', 'x', '--rounds', '0'],
    error: '--rounds must be over 0 and at most 20 (got 0)',
  },
  { args: ['compare', 'x', '--rounds', '21'], error: '--rounds must be over 0 and at most 20' },
  { args: ['compare', 'x', '--rounds', '1.5'], error: '--rounds must be a whole number (got 1.5)' },
  { args: ['light', '--rounds', '2'], error: '--rounds is for compare only' },
])('refused: $args', ({ args, error }) => {
  expect(() => readArguments(args)).toThrow(error);
});

test('without compare the named scenarios run here', () => {
  const { comparison, scenarios } = readArguments(['light']);
  expect(comparison).toBeNull();
  expect(scenarios.map(({ name }) => name)).toEqual(['light']);
});
