// Passwords: the slow hash under which they are stored.
import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto';
import { Semaphore } from '../concurrency/semaphore.ts';
import { overloaded } from '../platform/overloaded.ts';
import { canonicalPassword } from './password-rules.ts';

/** The cost of scrypt (RFC 7914): 2^log2N blocks of 128 × r bytes, p times. */
interface Cost {
  log2N: number;
  r: number;
  p: number;
}

// 128 MiB and about a third of a second; the first choice of OWASP's Password Storage Cheat Sheet.
const currentCost: Cost = { log2N: 17, r: 8, p: 1 };
const saltBytes = 16;
const hashBytes = 32;

/** Who waits for a hash: whoever asks, or somebody known, whom a crowd of the others must not keep out. */
export type HashQueue = 'anyone' | 'known';

// Each hash takes 128 MiB and one of the threads that DNS look-ups use, too.
const hashing = {
  anyone: new Semaphore(2, overloaded, { queueMax: 16 }),
  known: new Semaphore(1, overloaded, { queueMax: 4 }),
};

/** Makes a password for an admin who did not choose one: 120 random bits, in groups of four. */
export function newPassword(): string {
  const alphabet = '0123456789abcdefghjkmnpqrstvwxyz';
  const characters = Array.from(randomBytes(24), (byte) => alphabet.charAt(byte & 31)).join('');
  return (characters.match(/.{4}/g) ?? []).join('-');
}

/**
 * Hashes a password under a salt of its own, `$scrypt$ln=17,r=8,p=1$salt$hash`, so that the cost can
 * be raised and old hashes still be read. It waits in the queue of the known, for only they set
 * passwords. Throws `overloaded` when too many wait for a hash.
 */
export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(saltBytes);
  const hash = await hashing.known.run('', () => derive(password, salt, currentCost));
  const { log2N, r, p } = currentCost;
  return `$scrypt$ln=${log2N},r=${r},p=${p}$${toText(salt)}$${toText(hash)}`;
}

// What a password is compared with where there is none: the same work, and never equal.
const decoy = `$scrypt$ln=${currentCost.log2N},r=${currentCost.r},p=${currentCost.p}$${toText(randomBytes(saltBytes))}$${toText(randomBytes(hashBytes))}`;

/**
 * Tells whether a password is the one that was hashed. `stored` null (no such admin, or one without
 * a password) costs the same time and is false. Throws `overloaded`, or an Error for a `stored`
 * that is no hash of this file.
 */
export async function verifyPassword(
  password: string,
  stored: string | null,
  queue: HashQueue,
): Promise<boolean> {
  const { cost, salt, hash } = parse(stored ?? decoy);
  const derived = await hashing[queue].run('', () => derive(password, salt, cost));
  return timingSafeEqual(derived, hash) && stored !== null;
}

/** Tells whether a hash was made at another cost than the one of today. */
export function isOutdated(stored: string): boolean {
  const { log2N, r, p } = parse(stored).cost;
  return log2N !== currentCost.log2N || r !== currentCost.r || p !== currentCost.p;
}

function parse(stored: string): { cost: Cost; salt: Buffer; hash: Buffer } {
  const pattern =
    /^\$scrypt\$ln=(\d{1,2}),r=(\d{1,2}),p=(\d{1,2})\$([A-Za-z0-9+/]+)\$([A-Za-z0-9+/]{43})$/;
  const [, log2N, r, p, salt, hash] = pattern.exec(stored) ?? [];
  if (salt === undefined || hash === undefined) throw new Error('a stored password is no hash');
  return {
    cost: { log2N: Number(log2N), r: Number(r), p: Number(p) },
    salt: Buffer.from(salt, 'base64'),
    hash: Buffer.from(hash, 'base64'),
  };
}

async function derive(password: string, salt: Buffer, { log2N, r, p }: Cost): Promise<Buffer> {
  const N = 2 ** log2N;
  // scrypt itself takes 128 × N × r bytes; OpenSSL wants a limit above that.
  const options = { N, r, p, maxmem: 128 * r * (N + p + 2) };
  return new Promise((resolve, reject) => {
    scrypt(canonicalPassword(password), salt, hashBytes, options, (error, hash) => {
      if (error === null) resolve(hash);
      else reject(error);
    });
  });
}

function toText(bytes: Buffer): string {
  return bytes.toString('base64').replace(/=+$/, '');
}
