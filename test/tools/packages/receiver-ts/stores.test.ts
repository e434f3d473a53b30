// What the memory stores remember and forget.
import { expect, test, vi } from 'vitest';
import { attemptLimits } from '../../../../lib/limits.ts';
import {
  MemoryDeliveryStore,
  MemorySequenceStore,
  rememberMs,
} from '../../../../packages/receiver-ts/src/index.ts';

const setUp = (options = {}) => {
  const clock = { ms: 1_000_000 };
  return { clock, store: new MemoryDeliveryStore({ now: () => clock.ms, ...options }) };
};

test('a claim ends after claimMs', () => {
  const { store, clock } = setUp({ claimMs: 100 });
  store.claim('evt_1', 'a');
  clock.ms += 99;
  expect(store.claim('evt_1', 'b')).toBe('busy');
  clock.ms += 1;
  expect(store.claim('evt_1', 'b')).toBe('new');
});

test('only its own token can end a claim', () => {
  const { store } = setUp();
  store.claim('evt_1', 'a');
  store.release('evt_1', 'b');
  store.complete('evt_1', 'b');
  expect(store.claim('evt_1', 'b')).toBe('busy');
  store.complete('evt_1', 'a');
  store.release('evt_1', 'a');
  expect(store.claim('evt_1', 'b')).toBe('done');
});

test('a handled event is forgotten after keepMs, even if nobody asks for it', () => {
  const { store, clock } = setUp({ keepMs: 100 });
  store.complete('evt_1', 'a');
  clock.ms += 99;
  expect(store.claim('evt_1', 'b')).toBe('done');
  clock.ms += 1;
  store.claim('evt_2', 'c');
  expect(store.size).toBe(1);
  expect(store.claim('evt_1', 'b')).toBe('new');
});

test('lapsed claims are forgotten, even if nobody asks for them', () => {
  const { store, clock } = setUp();
  for (const eventId of ['evt_1', 'evt_2', 'evt_3']) store.claim(eventId, 'a');
  clock.ms += 5 * 60_000;
  store.claim('evt_4', 'a');
  expect(store.size).toBe(1);
});

test('of more events than countMax the oldest handled ones are forgotten, but no claims', () => {
  const { store } = setUp({ countMax: 2 });
  for (const eventId of ['evt_4', 'evt_5', 'evt_6']) store.claim(eventId, 'a');
  for (const eventId of ['evt_1', 'evt_2', 'evt_1', 'evt_3']) store.complete(eventId, 'a');
  expect(store.size).toBe(2 + 3);
  expect(store.claim('evt_1', 'b')).toBe('done');
  expect(store.claim('evt_2', 'b')).toBe('new');
  expect(store.claim('evt_4', 'b')).toBe('busy');
});

test('setting the clock forward ends no claim', () => {
  vi.useFakeTimers({ toFake: ['Date'] });
  try {
    const store = new MemoryDeliveryStore();
    store.claim('evt_1', 'a');
    vi.setSystemTime(Date.now() + 3_600_000);
    expect(store.claim('evt_1', 'b')).toBe('busy');
  } finally {
    vi.useRealTimers();
  }
});

test('a handled event is remembered for longer than its retries can take', () => {
  expect(rememberMs).toBeGreaterThan(attemptLimits.retriesTimeoutMs);
});

test('a sequence advances, stays, and never goes back', () => {
  const store = new MemorySequenceStore();
  expect(store.newest('agent/1')).toBe(0);
  for (const [sequence, newest] of [
    [2, 2],
    [2, 2],
    [1, 2],
    [5, 5],
  ] as const) {
    store.advance('agent/1', sequence);
    expect(store.newest('agent/1')).toBe(newest);
  }
  expect(store.newest('context/1')).toBe(0);
});

test('of more resources than countMax the least recently changed ones are forgotten', () => {
  const store = new MemorySequenceStore({ countMax: 2 });
  for (const resource of ['a', 'b', 'a', 'c']) store.advance(resource, 7);
  expect(store.size).toBe(2);
  expect(['a', 'b', 'c'].map((resource) => store.newest(resource))).toEqual([7, 0, 7]);
});

test('an option that is undefined has its default', () => {
  const { store, clock } = setUp({ countMax: undefined, keepMs: undefined, claimMs: undefined });
  store.claim('evt_1', 'a');
  clock.ms += 5 * 60_000 - 1;
  expect(store.claim('evt_1', 'b')).toBe('busy');
  store.complete('evt_1', 'a');
  clock.ms += rememberMs - 1;
  expect(store.claim('evt_1', 'b')).toBe('done');
  expect(new MemoryDeliveryStore({ now: undefined }).claim('evt_1', 'a')).toBe('new');
});

test.each([0, 0.5, -1, Number.NaN, Number.POSITIVE_INFINITY])(
  'a limit of %d is rejected',
  (limit) => {
    for (const name of ['countMax', 'keepMs', 'claimMs']) {
      const make = () => new MemoryDeliveryStore({ [name]: limit });
      expect(make).toThrow(new TypeError(`${name} must be a whole number from 1 on`));
    }
    expect(() => new MemorySequenceStore({ countMax: limit })).toThrow(TypeError);
  },
);
