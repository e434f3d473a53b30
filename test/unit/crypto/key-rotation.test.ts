// Rotation of the signing keys: the plan at each moment, and no sequence of moments breaks it.
import { array, assert, integer, property } from 'fast-check';
import {
  jwksCachedMs,
  jwksStaleMs,
  keysCachedMs,
  planRotation,
  publishedAheadMs,
} from '../../../lib/identity/key-rotation.ts';
import { dayMs, hourMs, minuteMs } from '../../../lib/platform/duration.ts';
import type { KeyTerm } from '../../../lib/model/signing-key.ts';

const tokenLifetimeMaxMs = hourMs;
const rotationMs = 30 * dayMs;
const start = Date.parse('2026-01-01T00:00:00Z');

function at(ms: number): Date {
  return new Date(start + ms);
}

function plan(keys: readonly KeyTerm[], ms: number): ReturnType<typeof planRotation<KeyTerm>> {
  return planRotation(keys, { now: at(ms), rotationMs, tokenLifetimeMaxMs });
}

const first: KeyTerm = { generation: 1, signsFrom: at(0) };
const second: KeyTerm = { generation: 2, signsFrom: at(rotationMs) };

test('a key is published before its use for longer than verifiers and processes cache the keys, even in an outage', () => {
  const keptMs = jwksCachedMs + keysCachedMs + 2 * jwksStaleMs;
  expect(publishedAheadMs).toBeGreaterThan(keptMs);
});

test('without a key the first one is added and signs immediately', () => {
  expect(plan([], 5)).toEqual({
    active: null,
    published: [],
    toAdd: { generation: 1, signsFrom: at(5) },
    toRemove: [],
  });
});

test.each([
  ['immediately', 0, null],
  ['just before the hour before its end', rotationMs - hourMs - 1, null],
  ['at the hour before its end', rotationMs - hourMs, rotationMs],
  [
    'a day late, and the next key is still published for an hour',
    rotationMs + dayMs,
    rotationMs + dayMs + hourMs,
  ],
])(
  'the next key is added from an hour before the end of the active one: %s',
  (_when, ms, signsFromMs) => {
    const { active, toAdd } = plan([first], ms);
    expect(active).toBe(first);
    const term = { generation: 2, signsFrom: at(signsFromMs ?? 0) };
    expect(toAdd).toEqual(signsFromMs === null ? null : term);
  },
);

test('the next key is published and does not sign before its time; then only it signs', () => {
  const before = plan([first, second], rotationMs - 1);
  expect(before).toEqual({
    active: first,
    published: [first, second],
    toAdd: null,
    toRemove: [],
  });
  expect(plan([second, first], rotationMs).active).toBe(second);
});

test('a retired key is published while one of its tokens may be valid, and then removed', () => {
  const lastMs = rotationMs + hourMs + 6 * minuteMs - 1;
  const kept = plan([first, second], lastMs);
  expect(kept).toMatchObject({ active: second, published: [first, second], toRemove: [] });
  const over = plan([first, second], lastMs + 1);
  expect(over).toMatchObject({ active: second, published: [second], toRemove: [first] });
});

test('a process whose clock is behind signs with the first key even before its time', () => {
  expect(plan([first], -1)).toMatchObject({ active: first, toAdd: null });
});

test('without an active key the next one signs immediately, since it is already published', () => {
  expect(plan([second], rotationMs - minuteMs).active).toBe(second);
});

test('for any times of planning a token is verifiable from its first moment to its last', () => {
  const gaps = array(integer({ min: 0, max: 45 * dayMs }), { minLength: 1, maxLength: 60 });
  const rotations = integer({ min: dayMs, max: 60 * dayMs });
  assert(
    property(gaps, rotations, (waitsMs, rotationMs) => {
      let keys: KeyTerm[] = [];
      let addedAt = new Map<number, number>();
      let now = start;
      for (const waitMs of waitsMs) {
        now += waitMs;
        const times = { now: new Date(now), rotationMs, tokenLifetimeMaxMs };
        const { toAdd, toRemove } = planRotation(keys, times);
        for (const key of toRemove) {
          const successor = keys.find((other) => other.generation === key.generation + 1);
          const lastTokenEnds = Number(successor?.signsFrom) + tokenLifetimeMaxMs;
          expect(lastTokenEnds).toBeLessThan(now);
        }
        keys = keys.filter((key) => !toRemove.includes(key));
        if (toAdd !== null) {
          keys.push(toAdd);
          addedAt = addedAt.set(toAdd.generation, now);
        }
        const after = planRotation(keys, times);
        expect(after.toAdd).toBeNull();
        expect(after.toRemove).toEqual([]);
        expect(after.published).toContain(after.active);
        expect(keys.length).toBeLessThanOrEqual(3);
        const { generation = 0, signsFrom } = after.active ?? {};
        const aheadMs = Number(signsFrom) - (addedAt.get(generation) ?? 0);
        if (generation > 1) expect(aheadMs).toBeGreaterThanOrEqual(publishedAheadMs);
      }
    }),
  );
});
