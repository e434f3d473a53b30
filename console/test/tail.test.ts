import { expect, test } from 'vitest';
import {
  emptyTail,
  pause,
  proceed,
  type Tail,
  tailRowsMax,
  take,
} from '../src/pages/events/tail.ts';

interface Row {
  eventId: string;
}

const empty: Tail<Row> = emptyTail;
const rows = (...ids: number[]): Row[] => ids.map((id) => ({ eventId: `evt_${id}` }));
const many = rows(...Array.from({ length: tailRowsMax + 7 }, (_, n) => n));

test('events are listed newest first, and only the last 500 are kept', () => {
  expect(take(take(empty, rows(1, 2)), rows(3)).shown).toEqual(rows(3, 2, 1));
  const full = take(empty, many);
  expect(full).toMatchObject({ count: 507 });
  expect(full.shown).toHaveLength(500);
  expect([full.shown[0], full.shown.at(-1)]).toEqual(rows(506, 7));
});

test('a pause keeps new events, and shows them when it ends', () => {
  const paused = take(pause(take(empty, rows(1))), rows(2, 3));
  expect(paused).toMatchObject({ shown: rows(1), waiting: rows(3, 2), count: 3 });
  expect(proceed(paused)).toEqual({ ...empty, shown: rows(3, 2, 1), count: 3 });
});

test('a long pause keeps the last 500, too', () => {
  const paused = take(pause(take(empty, rows(-1))), many);
  expect(paused.waiting).toHaveLength(500);
  expect(proceed(paused).shown).toEqual(paused.waiting);
});

test('a repeated event is neither shown nor counted again', () => {
  const paused = pause(take(empty, rows(1, 2, 2)));
  expect(paused).toMatchObject({ shown: rows(2, 1), count: 2 });
  const waiting = take(take(paused, rows(3)), rows(1, 3, 4));
  expect(waiting).toMatchObject({ shown: rows(2, 1), waiting: rows(4, 3), count: 4 });
});
