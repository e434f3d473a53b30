// What the soaks take for an overtaken event.
import { expect, test } from 'vitest';
import { outOfOrder } from '../../soak/verdict.ts';

const eventOf = (_id: string, sequence: number, resourceUid = 'agt_1') =>
  ({ _id, sequence, entity: 'agent', resourceUid }) as const;
const timesOf = (times: Record<string, number>): Map<string, number> =>
  new Map(Object.entries(times).map(([id, atMs]) => [`${id}/whk_0`, atMs]));

test.each([
  ['after the 2xx of the earlier one', { a: 10, b: 30 }, { a: 20, b: 40 }, []],
  ['in the millisecond of that 2xx', { a: 10, b: 20 }, { a: 20, b: 40 }, []],
  ['before that 2xx', { a: 10, b: 19 }, { a: 20, b: 40 }, ['b agent/agt_1']],
  ['after an earlier one that never had a 2xx', { a: 10, b: 11 }, { b: 12 }, []],
  ['never', { a: 10 }, { a: 20 }, []],
])('an event that came %s', (_name, first, firstTaken, overtaken) => {
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
