import { randomBytes } from 'node:crypto';

const crockfordAlphabet = '0123456789abcdefghjkmnpqrstvwxyz';
const timeCharacters = 10;
const randomCharacters = 16;

export type IdPrefix =
  | 'app'
  | 'acc'
  | 'adm'
  | 'agt'
  | 'aud'
  | 'bat'
  | 'cfl'
  | 'ctx'
  | 'evt'
  | 'job'
  | 'key'
  | 'mem'
  | 'prc'
  | 'req'
  | 'ses'
  | 'tok'
  | 'usr'
  | 'whk';

let lastEncoded = { timeMs: -1, text: '' };

function encodeTime(timeMs: number): string {
  if (lastEncoded.timeMs === timeMs) return lastEncoded.text;
  let rest = timeMs;
  let text = '';
  for (let i = 0; i < timeCharacters; i += 1) {
    text = crockfordAlphabet.charAt(rest % 32) + text;
    rest = Math.floor(rest / 32);
  }
  lastEncoded = { timeMs, text };
  return text;
}

function decodeTime(text: string): number {
  let timeMs = 0;
  for (const character of text) timeMs = timeMs * 32 + crockfordAlphabet.indexOf(character);
  return timeMs;
}

let lastTimeMs = -1;
let lastRandom = new Uint8Array(randomCharacters);

// 80 random bits in base 32; within a millisecond the previous value plus one, to sort in order (ULID specification).
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

/** Creates a uid: a lower-case ULID (https://github.com/ulid/spec); without dots, as Standard Webhooks requires. */
export function newId(prefix: IdPrefix, time: Date = new Date()): string {
  const timeMs = time.getTime();
  let random = '';
  for (const digit of nextRandom(timeMs)) random += crockfordAlphabet.charAt(digit);
  return `${prefix}_${encodeTime(timeMs)}${random}`;
}

/** Returns the smallest uid of a time: earlier uids sort below it, all others do not. */
export function idAt(prefix: IdPrefix, time: Date): string {
  const least = crockfordAlphabet.charAt(0).repeat(randomCharacters);
  return `${prefix}_${encodeTime(time.getTime())}${least}`;
}

export function timeOfId(id: string): Date {
  const start = id.indexOf('_') + 1;
  return new Date(decodeTime(id.slice(start, start + timeCharacters)));
}
