// API keys: their form, their checksum, their hash.
import { expect, test } from 'vitest';
import { hashApiKey, newApiKey, parseApiKey, sameHash } from '../../../lib/access/api-key.ts';

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

test('a new key can be parsed to its id', () => {
  for (let i = 0; i < 100; i += 1) {
    const { keyId, text } = newApiKey();
    expect(text).toMatch(/^ahk_[0-9A-Za-z]{12}_[0-9A-Za-z]{49}$/);
    expect(parseApiKey(text)).toEqual({ keyId });
  }
});

test('every typo of a single character is refused', () => {
  const { text } = newApiKey();
  for (let at = 0; at < text.length; at += 1) {
    for (const character of alphabet) {
      if (character === text[at]) continue;
      const typo = text.slice(0, at) + character + text.slice(at + 1);
      expect(parseApiKey(typo)).toBeNull();
    }
  }
});

test('a key with a missing, doubled or swapped character is refused', () => {
  const { text } = newApiKey();
  for (let at = 0; at < text.length; at += 1) {
    const [head, one, tail] = [text.slice(0, at), text.charAt(at), text.slice(at + 1)];
    expect(parseApiKey(head + tail)).toBeNull();
    expect(parseApiKey(head + one + one + tail)).toBeNull();
    const swapped = head + tail.charAt(0) + one + tail.slice(1);
    if (swapped !== text) expect(parseApiKey(swapped)).toBeNull();
  }
});

test.each(['', 'ahk', 'ahk__', ' ', '\n'])(
  '%j is refused as a key, also before or after one',
  (extra) => {
    expect(parseApiKey(extra)).toBeNull();
    if (extra === '') return;
    const { text } = newApiKey();
    expect(parseApiKey(text + extra)).toBeNull();
    expect(parseApiKey(extra + text)).toBeNull();
  },
);

test('the hash is 64 hex digits, depends on key and pepper, and does not contain the key', () => {
  const [one, two] = [newApiKey().text, newApiKey().text];
  const hash = hashApiKey(one, 'pepper');
  expect(hash).toMatch(/^[0-9a-f]{64}$/);
  expect(hashApiKey(one, 'pepper')).toBe(hash);
  expect(hashApiKey(two, 'pepper')).not.toBe(hash);
  expect(hashApiKey(one, 'other')).not.toBe(hash);
});

test('two hashes match only if they are equal and of equal length', () => {
  const hash = hashApiKey('a', 'pepper');
  expect(sameHash(hash, hash)).toBe(true);
  expect(sameHash(hash, hashApiKey('b', 'pepper'))).toBe(false);
  expect(sameHash(hash, hash.slice(2))).toBe(false);
  expect(sameHash(hash, '')).toBe(false);
});
