// A limit that applications share.
import { expect, test } from 'vitest';
import { SharedLimit } from '../../../lib/concurrency/shared-limit.ts';

test('an application takes at most three quarters, and others take the rest', () => {
  const limit = new SharedLimit(8);
  for (let n = 0; n < 6; n += 1) {
    expect(limit.hasRoom('a')).toBe(true);
    limit.take('a');
  }
  expect(limit.hasRoom('a')).toBe(false);
  for (let n = 0; n < 2; n += 1) {
    expect(limit.hasRoom('b')).toBe(true);
    limit.take('b');
  }
  expect([limit.held, limit.hasRoom('b'), limit.hasRoom('c')]).toEqual([8, false, false]);
  limit.release('a');
  expect([limit.hasRoom('a'), limit.hasRoom('c')]).toEqual([true, true]);
});

test('an application that has released everything may take as much again', () => {
  const limit = new SharedLimit(4);
  limit.take('a', 3);
  limit.release('a', 3);
  expect([limit.held, limit.heldBy('a'), limit.hasRoom('a')]).toEqual([0, 0, true]);
});

test('a limit of one goes to the first caller', () => {
  const limit = new SharedLimit(1);
  expect(limit.hasRoom('a')).toBe(true);
  limit.take('a');
  expect(limit.hasRoom('b')).toBe(false);
});
