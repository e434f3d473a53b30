// When a benchmark that compares two figures fails.
import { expect, test } from 'vitest';
import { compareBeside } from '../../../dev/bench/beside.ts';

const missedBy = (aloneMs: number | undefined, besideMs: number | undefined): string[] =>
  compareBeside({ what: 'answers, beside others', aloneMs, besideMs }).missed;

test('twice as long is the limit, and is met', () => {
  expect(missedBy(10, 20)).toEqual([]);
  expect(missedBy(10, 5)).toEqual([]);
});

test('more than twice as long is a missed target, with the limit and the figure', () => {
  expect(missedBy(10, 20.1)).toEqual([
    'p99 of answers, beside others: 2.01 times as long, and the limit is 2 times.',
  ]);
});

test('a figure that could not be had meets no target', () => {
  expect(missedBy(undefined, 20)).toHaveLength(1);
  expect(missedBy(10, undefined)).toHaveLength(1);
});
