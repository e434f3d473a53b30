// Identifiers: a prefix that names the kind, then a ULID, so that they sort by creation time.
import { randomBytes } from 'node:crypto';

const crockfordAlphabet = '0123456789abcdefghjkmnpqrstvwxyz';
const timeCharacters = 10;

/** The kinds of things that have a uid, and the prefix each carries in front of it. */
export type IdPrefix =
  'app' | 'acc' | 'agt' | 'cfl' | 'ctx' | 'dlv' | 'evt' | 'key' | 'req' | 'tok' | 'usr' | 'whk';

function encodeTime(timeMs: number): string {
  let rest = timeMs;
  let text = '';
  for (let i = 0; i < timeCharacters; i += 1) {
    text = crockfordAlphabet.charAt(rest % 32) + text;
    rest = Math.floor(rest / 32);
  }
  return text;
}

function encodeRandom(): string {
  // 16 random bytes give 5 bits each: 80 bits, as the ULID specification asks.
  return Array.from(randomBytes(16), (byte) => crockfordAlphabet.charAt(byte & 31)).join('');
}

/**
 * Makes a new uid such as `evt_01k9…`: the prefix, 48 bits of time, 80 random bits, in lower-case
 * Crockford base32 (https://github.com/ulid/spec). It holds no dot, as Standard Webhooks asks.
 */
export function newId(prefix: IdPrefix, time: Date = new Date()): string {
  return `${prefix}_${encodeTime(time.getTime())}${encodeRandom()}`;
}
