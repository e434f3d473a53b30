// What is remembered in memory, and what is forgotten.
import { expect, test } from 'vitest';
import {
  MemoryDeliveryStore,
  MemorySequenceStore,
} from '../../../../packages/receiver-ts/src/index.ts';

const setUp = (options = {}) => {
  const clock = { ms: 1_000_000 };
  return { clock, store: new MemoryDeliveryStore({ now: () => clock.ms, ...options }) };
};

test('an event is new, then busy, then done', () => {
  const { store } = setUp();
  expect(store.claim('evt_1')).toBe('new');
  expect(store.claim('evt_1')).toBe('busy');
  store.confirm('evt_1');
  expect(store.claim('evt_1')).toBe('done');
});

test('a released event is new again, a confirmed one is not released', () => {
  const { store } = setUp();
  store.claim('evt_1');
  store.release('evt_1');
  expect(store.claim('evt_1')).toBe('new');
  store.confirm('evt_1');
  store.release('evt_1');
  expect(store.claim('evt_1')).toBe('done');
});

test('a claim ends after claimMs', () => {
  const { store, clock } = setUp({ claimMs: 100 });
  store.claim('evt_1');
  clock.ms += 99;
  expect(store.claim('evt_1')).toBe('busy');
  clock.ms += 1;
  expect(store.claim('evt_1')).toBe('new');
});

test('a handled event is forgotten after keepMs, also when nobody asks for it', () => {
  const { store, clock } = setUp({ keepMs: 100 });
  store.confirm('evt_1');
  clock.ms += 99;
  expect(store.claim('evt_1')).toBe('done');
  store.confirm('evt_2');
  clock.ms += 1;
  expect(store.claim('evt_1')).toBe('new');
  clock.ms += 100;
  store.confirm('evt_3');
  expect(store.size).toBe(1);
});

test('of more events than countMax those that changed longest ago are forgotten', () => {
  const { store } = setUp({ countMax: 2 });
  for (const eventId of ['evt_1', 'evt_2', 'evt_1', 'evt_3']) store.confirm(eventId);
  expect(store.size).toBe(2);
  expect(store.claim('evt_1')).toBe('done');
  expect(store.claim('evt_2')).toBe('new');
});

test('a sequence advances, stands, and does not go back', () => {
  const store = new MemorySequenceStore();
  expect(store.advance('agent/1', 2)).toBe(true);
  expect(store.advance('agent/1', 2)).toBe(true);
  expect(store.advance('agent/1', 1)).toBe(false);
  expect(store.advance('agent/1', 5)).toBe(true);
  expect(store.advance('context/1', 1)).toBe(true);
});

test('of more resources than countMax those that changed longest ago are forgotten', () => {
  const store = new MemorySequenceStore({ countMax: 2 });
  for (const resource of ['a', 'b', 'a', 'c']) store.advance(resource, 7);
  expect(store.size).toBe(2);
  expect(store.advance('a', 1)).toBe(false);
  expect(store.advance('b', 1)).toBe(true);
});

test('an option that is undefined has its default', () => {
  const { store, clock } = setUp({ countMax: undefined, keepMs: undefined, claimMs: undefined });
  store.claim('evt_1');
  clock.ms += 5 * 60_000 - 1;
  expect(store.claim('evt_1')).toBe('busy');
  store.confirm('evt_1');
  clock.ms += 48 * 3_600_000 - 1;
  expect(store.claim('evt_1')).toBe('done');
  expect(new MemoryDeliveryStore({ now: undefined }).claim('evt_1')).toBe('new');
});

test.each([0, 0.5, -1, Number.NaN, Number.POSITIVE_INFINITY])(
  'a limit of %d is refused',
  (limit) => {
    for (const name of ['countMax', 'keepMs', 'claimMs']) {
      const make = () => new MemoryDeliveryStore({ [name]: limit });
      expect(make).toThrow(new TypeError(`${name} is a number from 1 on`));
    }
    expect(() => new MemorySequenceStore({ countMax: limit })).toThrow(TypeError);
  },
);
