import { expect, test } from 'vitest';
import { jsonRows, moveBy } from '../src/parts/json-rows.ts';

const nothing: ReadonlySet<string> = new Set();
const value = { a: { 'b/c': [1, { deep: { deeper: true } }] }, empty: {}, text: 'x' };

const shown = (toggled: ReadonlySet<string>) => jsonRows(value, toggled).map(({ path }) => path);

test('the first three levels are expanded, and toggled rows are inverted', () => {
  const first = ['', '/a', '/a/b~1c', '/a/b~1c/0', '/a/b~1c/1', '/empty', '/text'];
  expect(shown(nothing)).toEqual(first);
  expect(shown(new Set(['/a']))).toEqual(['', '/a', '/empty', '/text']);
  expect(shown(new Set(['/a/b~1c/1']))).toContain('/a/b~1c/1/deep');
});

test('a row with many children is collapsed at first, and a large value renders quickly', () => {
  const many = Array.from({ length: 100_000 }, (_, n) => n);
  expect(jsonRows(many, nothing)).toHaveLength(1);
  expect(jsonRows(many, new Set(['']))).toHaveLength(100_001);
});

test('a deep value does not exhaust the stack', () => {
  const depth = 100_000;
  expect(jsonRows(JSON.parse('['.repeat(depth) + ']'.repeat(depth)), nothing)).toHaveLength(4);
});

test.each([
  ['ArrowDown', 0, { index: 1, isToggled: false }],
  ['ArrowUp', 0, { index: 0, isToggled: false }],
  ['End', 0, { index: 6, isToggled: false }],
  ['Home', 4, { index: 0, isToggled: false }],
  ['ArrowLeft', 1, { index: 1, isToggled: true }],
  ['ArrowLeft', 4, { index: 2, isToggled: false }],
  ['ArrowLeft', 6, { index: 0, isToggled: false }],
  ['ArrowRight', 4, { index: 4, isToggled: true }],
  ['ArrowRight', 2, { index: 3, isToggled: false }],
  ['ArrowRight', 6, null],
  ['Enter', 1, { index: 1, isToggled: true }],
  ['Enter', 5, null],
  ['x', 0, null],
])('%s at row %i leads to %j', (key, index, move) => {
  expect(moveBy(key, jsonRows(value, nothing), index)).toEqual(move);
});
