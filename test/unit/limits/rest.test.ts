// When an overloaded process rests: second by second, with what is drawn given.
import { expect, test } from '@jest/globals';
import { createRest } from '../../../api/limits/rest.ts';
import type { Rest } from '../../../api/limits/rest.ts';

const most = { came: 100, refused: 50 };
const notMost = { came: 100, refused: 49 };

/** Notes the same for each second up to one; gives the seconds of rest. */
function pass(
  rest: Rest,
  seen: { came: number; refused: number },
  { from = 0, to }: { from?: number; to: number },
): number[] {
  const rested: number[] = [];
  for (let second = from; second <= to; second += 1) {
    rest.note(seen, second * 1_000);
    if (rest.isOn(second * 1_000)) rested.push(second);
  }
  return rested;
}

const range = (from: number, to: number): number[] =>
  Array.from({ length: to - from + 1 }, (_, n) => from + n);

test('a process rests once most requests were refused for ten seconds, and for ten seconds', () => {
  expect(
    pass(
      createRest(() => 0),
      most,
      { to: 9 },
    ),
  ).toEqual([]);
  expect(
    pass(
      createRest(() => 0),
      most,
      { to: 30 },
    ),
  ).toEqual(range(10, 19));
});

test.each([
  ['fewer than half were refused', notMost],
  ['none was refused', { came: 0, refused: 0 }],
])('a process does not rest when %s, and what was before counts no more', (_, calm) => {
  expect(
    pass(
      createRest(() => 0),
      calm,
      { to: 600 },
    ),
  ).toEqual([]);
  const rest = createRest(() => 0);
  expect(pass(rest, most, { to: 9 })).toEqual([]);
  expect(pass(rest, calm, { from: 10, to: 10 })).toEqual([]);
  expect(pass(rest, most, { from: 11, to: 20 })).toEqual([]);
  expect(pass(rest, most, { from: 21, to: 21 })).toEqual([21]);
});

test('under load without end a process is there for five sixths of the time, from the first minute on', () => {
  const rested = pass(
    createRest(() => 0),
    most,
    { to: 600 },
  );
  expect(rested.slice(0, 20)).toEqual([...range(10, 19), ...range(70, 79)]);
  expect(rested).toHaveLength(100);
});

test('of processes that are overloaded together, most are there all the time', () => {
  const processes = 12;
  const rested = range(0, processes - 1).flatMap((n) =>
    pass(
      createRest(() => n / processes),
      most,
      { to: 60 },
    ),
  );
  const atOnce = range(0, 60).map((second) => rested.filter((at) => at === second).length);
  expect(Math.max(...atOnce)).toBeLessThanOrEqual(processes / 3);
  expect(atOnce.reduce((sum, count) => sum + count)).toBe(processes * 10);
});
