// Signing keys in one process: cached, and rotated by the process that reads first (ADR 10).
import type { JWK } from 'jose';
import { withTimeout } from '../concurrency/with-timeout.ts';
import type { Clock } from '../platform/clock.ts';
import type { SecretBox } from '../platform/secret-box.ts';
import { instruments } from '../telemetry/instruments.ts';
import { limits } from '../limits.ts';
import { tokenLog } from '../platform/logger.ts';
import type { KeyTerm, SigningKeyDocument } from '../model/signing-key.ts';
import { type Store } from '../mongo/connect.ts';
import { isDuplicateKey } from '../mongo/write-errors.ts';
import {
  jwksStaleMs,
  keysCachedMs,
  planRotation,
  type RotationPlan,
  type SigningKeyTerm,
  termsOf,
} from './key-rotation.ts';
import type { KeyOwner } from './key-owner.ts';

// How long a response waits for a due read if the keys of an earlier one are known.
const readWaitMsMax = 1_000;

export interface KeyRingPorts {
  store: Store;
  secretBox: SecretBox;
  clock: Clock;
  rotationMs: number;
}

export interface KeyRing<Key> {
  active(): Promise<Key>;
  /** The public keys of the next, active and retired signing keys, read within the past 20 minutes. */
  published(): Promise<JWK[]>;
  /** The times at which each of these keys signs. */
  terms(): Promise<SigningKeyTerm[]>;
}

/** Returns the key ring of an owner in a process. The first read in any process creates the first key. */
export function createKeyRing<Key>(ports: KeyRingPorts, owner: KeyOwner<Key>): KeyRing<Key> {
  let read: { keys: Promise<SigningKeyDocument[]>; at: number } | null = null;
  let known: { keys: SigningKeyDocument[]; at: number } | null = null;
  let opened: { keyId: string; key: Promise<Key> } | null = null;

  function readKeys(): Promise<SigningKeyDocument[]> {
    const now = ports.clock.now().getTime();
    if (read === null || now - read.at > keysCachedMs) {
      const reading = { keys: rotateKeys(ports, owner), at: now };
      read = reading;
      reading.keys.then(
        (found) => (known = { keys: found, at: now }),
        (error: unknown) => {
          tellFailure(owner, error);
          // Failures are not cached: the next call tries again.
          if (read === reading) read = null;
        },
      );
    }
    return read.keys;
  }

  // An idle process must not publish a deleted key again. While the database is unavailable, a read takes longer to
  // fail than verifiers wait (jose: 5 s).
  async function knownKeys(): Promise<SigningKeyDocument[]> {
    const reading = readKeys();
    const last = known;
    if (last === null || ports.clock.now().getTime() - last.at > jwksStaleMs) return reading;
    return withTimeout(reading, readWaitMsMax).catch(() => last.keys);
  }

  return {
    async active() {
      const { active } = plan(ports, await readKeys());
      if (active === null) throw new Error('there is no signing key although one was just made');
      try {
        if (opened?.keyId !== active._id) {
          const pem = ports.secretBox.open(active.privateKey, owner.locationOf(active._id));
          opened = { keyId: active._id, key: owner.importKey(active._id, pem) };
        }
        return await opened.key;
      } catch (error) {
        tellFailure(owner, error);
        throw error;
      }
    },
    async published() {
      return plan(ports, await knownKeys()).published.map((key) => key.publicKey);
    },
    async terms() {
      return termsOf(plan(ports, await knownKeys()), ports.rotationMs);
    },
  };
}

function tellFailure({ logged }: KeyOwner<unknown>, error: unknown): void {
  instruments.signingKeyFailures.add(1, {});
  tokenLog.warn({ ...logged, err: error }, 'signing_keys.read_failed');
}

function plan(
  { clock, rotationMs }: KeyRingPorts,
  keys: readonly SigningKeyDocument[],
): RotationPlan<SigningKeyDocument> {
  const tokenLifetimeMaxMs = limits.userTokenLifetimeMaxMs;
  return planRotation(keys, { now: clock.now(), rotationMs, tokenLifetimeMaxMs });
}

// Each step is a single write that leaves the keys valid. After a crash, the next reader does the remaining ones.
async function rotateKeys(
  ports: KeyRingPorts,
  owner: KeyOwner<unknown>,
): Promise<SigningKeyDocument[]> {
  const { clock } = ports;
  const found = await owner.find();
  const { toAdd, toRemove } = plan(ports, found);
  for (const { _id: keyId } of toRemove) {
    const removed = await owner.remove(keyId, clock.now());
    if (removed) tokenLog.info({ ...owner.logged, keyId }, 'signing_key.removed');
  }
  if (toAdd !== null) await addKey(ports, owner, toAdd);
  return toAdd === null && toRemove.length === 0 ? found : owner.find();
}

async function addKey(
  { secretBox, clock }: KeyRingPorts,
  owner: KeyOwner<unknown>,
  term: KeyTerm,
): Promise<void> {
  const { keyId, publicKey, privateKeyPem } = await owner.createKey();
  const privateKey = secretBox.seal(privateKeyPem, owner.locationOf(keyId));
  try {
    await owner.insert({ _id: keyId, publicKey, privateKey, ...term, createdAt: clock.now() });
    tokenLog.info({ ...owner.logged, keyId, ...term }, 'signing_key.created');
  } catch (error) {
    // Another process added the key of this generation first. Use that one.
    if (!isDuplicateKey(error)) throw error;
  }
}
