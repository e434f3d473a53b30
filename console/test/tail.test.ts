import { expect, test } from 'vitest';
import {
  emptyTail,
  pause,
  proceed,
  type Tail,
  tailRowsMax,
  take,
} from '../src/pages/events/tail.ts';

const empty: Tail<number> = emptyTail;
const many = Array.from({ length: tailRowsMax + 7 }, (_, n) => n);

test('events come newest first, and only the last 500 are kept', () => {
  expect(take(take(empty, [1, 2]), [3]).shown).toEqual([3, 2, 1]);
  const full = take(empty, many);
  expect(full).toMatchObject({ count: 507 });
  expect(full.shown).toHaveLength(500);
  expect([full.shown[0], full.shown.at(-1)]).toEqual([506, 7]);
});

test('a pause keeps what comes, and shows it when it ends', () => {
  const paused = take(pause(take(empty, [1])), [2, 3]);
  expect(paused).toMatchObject({ shown: [1], waiting: [3, 2], count: 3 });
  expect(proceed(paused)).toEqual({ shown: [3, 2, 1], waiting: [], isPaused: false, count: 3 });
});

test('a long pause keeps the last 500, too', () => {
  const paused = take(pause(take(empty, [-1])), many);
  expect(paused.waiting).toHaveLength(500);
  expect(proceed(paused).shown).toEqual(paused.waiting);
});
