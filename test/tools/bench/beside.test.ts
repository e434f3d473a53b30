// The comparison of two figures in a benchmark.
import { expect, test } from 'vitest';
import { compareBeside } from '../../../dev/bench/beside.ts';

const missedBy = (aloneMs: number | undefined, besideMs: number | undefined): string[] =>
  compareBeside({ what: 'answers, beside others', aloneMs, besideMs }).missed;

test('a figure of exactly twice the other meets the target', () => {
  expect(missedBy(10, 20)).toEqual([]);
  expect(missedBy(10, 5)).toEqual([]);
});

test('a figure of more than twice the other misses the target, reported with limit and figure', () => {
  expect(missedBy(10, 20.1)).toEqual([
    'p99 of answers, beside others: 2.01 times as long, and the limit is 2 times.',
  ]);
});

test('a scenario can have a limit of its own', () => {
  const figures = { what: 'answers', timesMax: 1.5, aloneMs: 10 };
  expect(compareBeside({ ...figures, besideMs: 15 }).missed).toEqual([]);
  expect(compareBeside({ ...figures, besideMs: 15.1 }).missed).toEqual([
    'p99 of answers: 1.51 times as long, and the limit is 1.5 times.',
  ]);
});

test('a missing figure misses the target', () => {
  expect(missedBy(undefined, 20)).toHaveLength(1);
  expect(missedBy(10, undefined)).toHaveLength(1);
});
