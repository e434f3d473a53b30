// What counts as an overtaken event in the soaks.
import { expect, test } from 'vitest';
import { outOfOrder } from '../../soak/verdict.ts';

const eventOf = (_id: string, sequence: number, resourceUid = 'agt_1') =>
  ({ _id, sequence, entity: 'agent', resourceUid }) as const;
const timesOf = (times: Record<string, number>): Map<string, number> =>
  new Map(Object.entries(times).map(([id, atMs]) => [`${id}/whk_0`, atMs]));

interface Case {
  came: string;
  first: Record<string, number>;
  firstTaken: Record<string, number>;
  overtaken: readonly string[];
}

test.each<Case>([
  {
    came: 'after the 2xx of the earlier one',
    first: { a: 10, b: 30 },
    firstTaken: { a: 20, b: 40 },
    overtaken: [],
  },
  {
    came: 'in the millisecond of that 2xx',
    first: { a: 10, b: 20 },
    firstTaken: { a: 20, b: 40 },
    overtaken: [],
  },
  {
    came: 'before that 2xx',
    first: { a: 10, b: 19 },
    firstTaken: { a: 20, b: 40 },
    overtaken: ['b agent/agt_1'],
  },
  {
    came: 'after an earlier one that never had a 2xx',
    first: { a: 10, b: 11 },
    firstTaken: { b: 12 },
    overtaken: [],
  },
  { came: 'never', first: { a: 10 }, firstTaken: { a: 20 }, overtaken: [] },
])('an event that arrived $came is judged', ({ first, firstTaken, overtaken }) => {
  const events = [eventOf('b', 2), eventOf('a', 1)];
  const times = { first: timesOf(first), firstTaken: timesOf(firstTaken), orderedUid: 'whk_0' };
  expect(outOfOrder(events, times)).toEqual(overtaken);
});

test('an event is overtaken by all later ones about its resource, and by no others', () => {
  const events = [eventOf('a', 1), eventOf('b', 2), eventOf('c', 3), eventOf('d', 4, 'agt_2')];
  const times = {
    first: timesOf({ a: 10, b: 11, c: 12, d: 13 }),
    firstTaken: timesOf({ a: 20, b: 11, c: 12, d: 13 }),
    orderedUid: 'whk_0',
  };
  expect(outOfOrder(events, times)).toEqual(['b agent/agt_1', 'c agent/agt_1']);
});
