import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto';
import { FairPermits } from '../concurrency/fair-permits.ts';
import { overloaded } from '../platform/overloaded.ts';
import { canonicalPassword } from './password-rules.ts';

// RFC 7914: 2^log2N blocks of 128 × r bytes, p times.
interface Cost {
  log2N: number;
  r: number;
  p: number;
}

/** The cost of new hashes: 128 MiB and about 0.3 s, the first choice of OWASP's Password Storage Cheat Sheet. */
export const currentCost: Cost = { log2N: 17, r: 8, p: 1 };
const saltBytes = 16;
const hashBytes = 32;

// A hash takes 128 MiB and a thread that DNS lookups share. Unknown callers must not fill the queue of known users.
const concurrentHashesMax = { anyone: 2, known: 1 };
const inTurn = { waitMsMax: Infinity, refusal: overloaded };
const hashing = {
  anyone: new FairPermits({ permitsMax: concurrentHashesMax.anyone, queueMax: 16, ...inTurn }),
  known: new FairPermits({ permitsMax: concurrentHashesMax.known, queueMax: 4, ...inTurn }),
};

/** The queue of a password check, and who in it has a share and turns: an address or a known browser. */
interface HashQueue {
  queue: keyof typeof hashing;
  group: string;
}

/** The memory of all concurrent hashes of a process. */
export const hashingBytesMax =
  (concurrentHashesMax.anyone + concurrentHashesMax.known) *
  128 *
  2 ** currentCost.log2N *
  currentCost.r;

/** Returns 120 random bits, in groups of four characters. */
export function newPassword(): string {
  const alphabet = '0123456789abcdefghjkmnpqrstvwxyz';
  const characters = Array.from(randomBytes(24), (byte) => alphabet.charAt(byte & 31)).join('');
  return (characters.match(/.{4}/g) ?? []).join('-');
}

/** Returns `$scrypt$ln=17,r=8,p=1$salt$hash`. Throws `overloaded` if too many callers wait. */
export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(saltBytes);
  const party = { group: 'new passwords', member: null };
  return encode(salt, await hashing.known.run(party, () => derive(password, salt, currentCost)));
}

/** Replaces a missing password hash: the same work, never equal. */
const decoy = (): string => encode(randomBytes(saltBytes), randomBytes(hashBytes));

/** Returns false, in the same time, if `stored` is null. Throws `overloaded`, or an Error for a malformed `stored`. */
export async function verifyPassword(
  password: string,
  stored: string | null,
  { queue, group }: HashQueue,
): Promise<boolean> {
  const { cost, salt, hash } = parse(stored ?? decoy());
  const derived = await hashing[queue].run({ group, member: null }, () =>
    derive(password, salt, cost),
  );
  return timingSafeEqual(derived, hash) && stored !== null;
}

/** Checks whether a hash was made at another cost than the current one. */
export function isOutdated(stored: string): boolean {
  const { log2N, r, p } = parse(stored).cost;
  return log2N !== currentCost.log2N || r !== currentCost.r || p !== currentCost.p;
}

function parse(stored: string): { cost: Cost; salt: Buffer; hash: Buffer } {
  const pattern =
    /^\$scrypt\$ln=(\d{1,2}),r=(\d{1,2}),p=(\d{1,2})\$([A-Za-z0-9+/]+)\$([A-Za-z0-9+/]{43})$/;
  const [, log2N, r, p, salt, hash] = pattern.exec(stored) ?? [];
  if (salt === undefined || hash === undefined)
    throw new Error('a stored password is not a valid hash');
  return {
    cost: { log2N: Number(log2N), r: Number(r), p: Number(p) },
    salt: Buffer.from(salt, 'base64'),
    hash: Buffer.from(hash, 'base64'),
  };
}

async function derive(password: string, salt: Buffer, { log2N, r, p }: Cost): Promise<Buffer> {
  const N = 2 ** log2N;
  // scrypt takes 128 × N × r bytes; OpenSSL needs a limit above that.
  const options = { N, r, p, maxmem: 128 * r * (N + p + 2) };
  return new Promise((resolve, reject) => {
    scrypt(canonicalPassword(password), salt, hashBytes, options, (error, hash) => {
      if (error === null) resolve(hash);
      else reject(error);
    });
  });
}

function encode(salt: Buffer, hash: Buffer): string {
  const { log2N, r, p } = currentCost;
  const [saltText, hashText] = [salt, hash].map((bytes) =>
    bytes.toString('base64').replace(/=+$/, ''),
  );
  return `$scrypt$ln=${log2N},r=${r},p=${p}$${saltText}$${hashText}`;
}
