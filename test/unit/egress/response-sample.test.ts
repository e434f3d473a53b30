// The kept start of a response: bounded, valid text, cut between characters.
import { expect, test } from 'vitest';
import * as fc from 'fast-check';
import { hideTexts, sampleText } from '../../../lib/egress/response-sample.ts';
import { egressLimits } from '../../../lib/limits.ts';

const { responseSampleBytesMax } = egressLimits;

test('a short response is kept unchanged', () => {
  expect(sampleText(Buffer.from('{"ok":true}'), true)).toBe('{"ok":true}');
  expect(sampleText(Buffer.alloc(0), true)).toBe('');
});

test('a long response is cut between characters', () => {
  const text = sampleText(Buffer.from(`a${'é'.repeat(3_000)}`), true);
  expect(text).toBe(`a${'é'.repeat(2_047)}`);
});

test('a character cut by our limit is removed, one cut by the receiver is replaced', () => {
  const half = Buffer.from('aé').subarray(0, 2);
  expect(sampleText(half, false)).toBe('a');
  expect(sampleText(half, true)).toBe('a\uFFFD');
});

test('control characters and bytes that are not text become replacement characters', () => {
  expect(sampleText(Buffer.from([0x61, 0, 0xff, 0x62]), true)).toBe('a\uFFFD\uFFFDb');
  expect(sampleText(Buffer.from('\u0001\u0008\u000b\u001b\u007f\u0085'), true)).toBe(
    '\uFFFD'.repeat(6),
  );
  expect(sampleText(Buffer.from('a\tb\r\nc \u00a0'), true)).toBe('a\tb\r\nc \u00a0');
});

test('a sample is at most twice as long in JSON', () => {
  for (let code = 0; code < 256; code += 1) {
    const text = sampleText(Buffer.alloc(responseSampleBytesMax, code), true);
    expect(Buffer.byteLength(JSON.stringify(text))).toBeLessThanOrEqual(
      2 * responseSampleBytesMax + 2,
    );
  }
});

test('a sample of any bytes has at most 4 KiB of UTF-8 and no control character', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 6_000 }), fc.boolean(), (bytes, whole) => {
      const text = sampleText(Buffer.from(bytes), whole);
      return Buffer.byteLength(text) <= responseSampleBytesMax && !/[^\P{Cc}\t\n\r]/u.test(text);
    }),
  );
  expect(Buffer.byteLength(sampleText(Buffer.alloc(5_000, 0xff), true))).toBeLessThanOrEqual(4_096);
});

test.each([
  ['got 12345678, 12345678', ['12345678'], 'got …, …'],
  ['got 1234567', ['1234567'], 'got 1234567'],
  ['the longer one first: secret-1234', ['secret-1', 'secret-1234'], 'the longer one first: …'],
  ['{"a":"se\\"cr/et\\\\t"}', ['se"cr/et\\t'], '{"a":"…"}'],
  ['{"a":"se\\"cr\\/et"}', ['se"cr/et'], '{"a":"…"}'],
  ['$& secret-1', ['secret-1'], '$& …'],
  ['cut: secret-1', ['secret-1234'], 'cut: …'],
  ['cut early: secret-', ['secret-1234'], 'cut early: secret-'],
  ['not at the end: secret-1.', ['secret-1234'], 'not at the end: secret-1.'],
  ['', ['secret-1'], ''],
])('%j without %j becomes %j', (sample, texts, kept) => {
  expect(hideTexts(sample, texts)).toBe(kept);
});
