// Identifiers: a prefix that names the kind, then a ULID, so that they sort by creation time.
import { randomBytes } from 'node:crypto';

const crockfordAlphabet = '0123456789abcdefghjkmnpqrstvwxyz';
const timeCharacters = 10;
const randomCharacters = 16;

/** The kinds of things that have a uid, and the prefix each carries in front of it. */
export type IdPrefix =
  | 'app'
  | 'acc'
  | 'adm'
  | 'agt'
  | 'aud'
  | 'bat'
  | 'cfl'
  | 'ctx'
  | 'dlv'
  | 'evt'
  | 'job'
  | 'key'
  | 'mem'
  | 'req'
  | 'tok'
  | 'usr'
  | 'whk';

function encodeTime(timeMs: number): string {
  let rest = timeMs;
  let text = '';
  for (let i = 0; i < timeCharacters; i += 1) {
    text = crockfordAlphabet.charAt(rest % 32) + text;
    rest = Math.floor(rest / 32);
  }
  return text;
}

function decodeTime(text: string): number {
  let timeMs = 0;
  for (const character of text) timeMs = timeMs * 32 + crockfordAlphabet.indexOf(character);
  return timeMs;
}

let lastTimeMs = -1;
let lastRandom = new Uint8Array(randomCharacters);

/**
 * Gives 80 random bits as 16 digits of base 32; within one millisecond the last ones plus one, as
 * the ULID specification has it, so that ids made one after another also sort so.
 */
function nextRandom(timeMs: number): Uint8Array {
  if (timeMs !== lastTimeMs) {
    lastTimeMs = timeMs;
    lastRandom = Uint8Array.from(randomBytes(randomCharacters), (byte) => byte & 31);
    return lastRandom;
  }
  for (let i = randomCharacters - 1; i >= 0; i -= 1) {
    const digit = lastRandom[i] ?? 0;
    lastRandom[i] = (digit + 1) & 31;
    if (digit < 31) break;
  }
  return lastRandom;
}

/**
 * Makes a new uid such as `evt_01k9…`: the prefix, 48 bits of time, 80 random bits, in lower-case
 * Crockford base32 (https://github.com/ulid/spec). It holds no dot, as Standard Webhooks asks.
 */
export function newId(prefix: IdPrefix, time: Date = new Date()): string {
  const timeMs = time.getTime();
  const random = Array.from(nextRandom(timeMs), (digit) => crockfordAlphabet.charAt(digit));
  return `${prefix}_${encodeTime(timeMs)}${random.join('')}`;
}

/** Gives the uid of another kind that sorts among those as this one among its own: by its time. */
export function idBeside(prefix: IdPrefix, uid: string): string {
  return `${prefix}${uid.slice(uid.indexOf('_'))}`;
}

/** The least uid of a time: those made before it sort below, those made from it on do not. */
export function idAt(prefix: IdPrefix, time: Date): string {
  const least = crockfordAlphabet.charAt(0).repeat(randomCharacters);
  return `${prefix}_${encodeTime(time.getTime())}${least}`;
}

/** The time at which a uid was made. */
export function timeOfId(id: string): Date {
  const start = id.indexOf('_') + 1;
  return new Date(decodeTime(id.slice(start, start + timeCharacters)));
}
