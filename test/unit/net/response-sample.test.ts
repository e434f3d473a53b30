// The kept beginning of an answer: bounded, valid text, cut between characters.
import { expect, test } from '@jest/globals';
import * as fc from 'fast-check';
import { responseSampleBytesMax, sampleText } from '../../../lib/net/response-sample.ts';

test('a short answer is kept as it is', () => {
  expect(sampleText(Buffer.from('{"ok":true}'), true)).toBe('{"ok":true}');
  expect(sampleText(Buffer.alloc(0), true)).toBe('');
});

test('a long answer is cut between characters', () => {
  const text = sampleText(Buffer.from(`a${'é'.repeat(3_000)}`), true);
  expect(text).toBe(`a${'é'.repeat(2_047)}`);
});

test('a character cut by our limit is left out, one cut by the receiver is replaced', () => {
  const half = Buffer.from('aé').subarray(0, 2);
  expect(sampleText(half, false)).toBe('a');
  expect(sampleText(half, true)).toBe('a\uFFFD');
});

test('NULs and bytes that are not text become replacement characters', () => {
  expect(sampleText(Buffer.from([0x61, 0, 0xff, 0x62]), true)).toBe('a\uFFFD\uFFFDb');
});

test('no bytes give more than 4 KiB of UTF-8, or a NUL', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 6_000 }), fc.boolean(), (bytes, whole) => {
      const text = sampleText(Buffer.from(bytes), whole);
      return Buffer.byteLength(text) <= responseSampleBytesMax && !text.includes('\0');
    }),
  );
  expect(Buffer.byteLength(sampleText(Buffer.alloc(5_000, 0xff), true))).toBeLessThanOrEqual(4_096);
});
