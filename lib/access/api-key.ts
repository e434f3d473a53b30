import { createHmac, randomInt, timingSafeEqual } from 'node:crypto';
import { crc32 } from 'node:zlib';

const prefix = 'ahk';
const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
export const keyIdCharacters = 12;
// 256 bits: log2(62^43).
const secretCharacters = 43;
const checksumCharacters = 6;
const pattern = new RegExp(
  `^${prefix}_([0-9A-Za-z]{${keyIdCharacters}})_([0-9A-Za-z]{${secretCharacters}})([0-9A-Za-z]{${checksumCharacters}})$`,
);

function randomText(length: number): string {
  return Array.from({ length }, () => alphabet.charAt(randomInt(alphabet.length))).join('');
}

function checksum(text: string): string {
  let rest = crc32(text);
  let encoded = '';
  for (let i = 0; i < checksumCharacters; i += 1) {
    encoded = alphabet.charAt(rest % 62) + encoded;
    rest = Math.floor(rest / 62);
  }
  return encoded;
}

/** Creates a key `ahk_<id>_<256-bit secret><checksum>`; the prefix lets scanners find leaked keys. */
export function newApiKey(): { keyId: string; text: string } {
  const keyId = randomText(keyIdCharacters);
  const head = `${prefix}_${keyId}_${randomText(secretCharacters)}`;
  return { keyId, text: head + checksum(head) };
}

/** Returns null for a wrong form or checksum, so that a mistyped key costs no database read. */
export function parseApiKey(text: string): { keyId: string } | null {
  const match = pattern.exec(text);
  const [, keyId, , given] = match ?? [];
  if (keyId === undefined || given === undefined) return null;
  return checksum(text.slice(0, -checksumCharacters)) === given ? { keyId } : null;
}

/** Returns the HMAC-SHA256 (hex) of a key, which the database stores instead of the key. */
export function hashApiKey(text: string, pepper: string): string {
  return createHmac('sha256', pepper).update(`api-key|${text}`, 'utf8').digest('hex');
}

/** Compares two hex hashes in constant time. */
export function sameHash(a: string, b: string): boolean {
  const left = Buffer.from(a, 'hex');
  const right = Buffer.from(b, 'hex');
  return left.length === right.length && timingSafeEqual(left, right);
}
