// The signing keys in one process: cached, and rotated by the process that reads first.
import type { JWK } from 'jose';
import { withTimeout } from '../../lib/concurrency/with-timeout.ts';
import type { Clock } from '../../lib/platform/clock.ts';
import {
  jwksStaleMs,
  keysCachedMs,
  planRotation,
  type RotationPlan,
  type SigningKeyTerm,
  termsOf,
} from '../../lib/identity/key-rotation.ts';
import type { SecretBox } from '../../lib/platform/secret-box.ts';
import {
  createSigningKey,
  importSigningKey,
  type SigningKey,
} from '../../lib/identity/user-token.ts';
import { instruments } from '../../lib/telemetry/instruments.ts';
import { limits } from '../../lib/limits.ts';
import { tokenLog } from '../../lib/platform/logger.ts';
import type { KeyTerm, SigningKeyDocument } from '../../lib/model/signing-key.ts';
import { type Store } from '../../lib/mongo/connect.ts';
import { isDuplicateKey } from '../../lib/mongo/transaction.ts';
import {
  insertSigningKey,
  removeSigningKey,
  signingKeyLocation,
} from '../../lib/identity/signing-keys.ts';

// How long a response waits for a due read if the keys of an earlier one are known.
const readWaitMsMax = 1_000;

interface SigningKeyRingPorts {
  store: Store;
  secretBox: SecretBox;
  clock: Clock;
  rotationMs: number;
}

export interface SigningKeyRing {
  active(): Promise<SigningKey>;
  /** The public keys of the next, active and retired signing keys, read within the past 20 minutes. */
  published(): Promise<JWK[]>;
  /** The times at which each of these keys signs. */
  terms(): Promise<SigningKeyTerm[]>;
}

/** Returns the key ring of a process. The first read of a new installation creates the first key. */
export function createSigningKeyRing(ports: SigningKeyRingPorts): SigningKeyRing {
  let read: { keys: Promise<SigningKeyDocument[]>; at: number } | null = null;
  let known: { keys: SigningKeyDocument[]; at: number } | null = null;
  let opened: { keyId: string; key: Promise<SigningKey> } | null = null;

  function readKeys(): Promise<SigningKeyDocument[]> {
    const now = ports.clock.now().getTime();
    if (read === null || now - read.at > keysCachedMs) {
      const reading = { keys: rotateKeys(ports), at: now };
      read = reading;
      reading.keys.then(
        (found) => (known = { keys: found, at: now }),
        (error: unknown) => {
          tellFailure(error);
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
          const pem = ports.secretBox.open(active.privateKey, signingKeyLocation(active._id));
          opened = { keyId: active._id, key: importSigningKey(active._id, pem) };
        }
        return await opened.key;
      } catch (error) {
        tellFailure(error);
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

function tellFailure(error: unknown): void {
  instruments.signingKeyFailures.add(1, {});
  tokenLog.warn({ err: error }, 'signing_keys.read_failed');
}

function plan(
  { clock, rotationMs }: SigningKeyRingPorts,
  keys: readonly SigningKeyDocument[],
): RotationPlan<SigningKeyDocument> {
  const tokenLifetimeMaxMs = limits.userTokenLifetimeMaxMs;
  return planRotation(keys, { now: clock.now(), rotationMs, tokenLifetimeMaxMs });
}

// Each step is a single write that leaves the keys valid. After a crash, the next reader does the remaining ones.
async function rotateKeys(ports: SigningKeyRingPorts): Promise<SigningKeyDocument[]> {
  const { store, clock } = ports;
  const { toAdd, toRemove } = plan(ports, await findKeys(store));
  for (const { _id: keyId } of toRemove) {
    const removed = await removeSigningKey(store, keyId, clock.now());
    if (removed) tokenLog.info({ keyId }, 'signing_key.removed');
  }
  if (toAdd !== null) await addKey(ports, toAdd);
  return findKeys(store);
}

// Read locally: a process that loses the race for the first key must find the winner's, which may not have reached a
// majority yet.
function findKeys(store: Store): Promise<SigningKeyDocument[]> {
  const options = { readConcern: { level: 'local' } } as const;
  return store.signingKeys.find({ generation: { $gte: 1 } }, options).toArray();
}

async function addKey(
  { store, secretBox, clock }: SigningKeyRingPorts,
  term: KeyTerm,
): Promise<void> {
  const made = await createSigningKey();
  try {
    await insertSigningKey(store, {
      _id: made.keyId,
      publicKey: made.publicKey,
      privateKey: secretBox.seal(made.privateKeyPem, signingKeyLocation(made.keyId)),
      ...term,
      createdAt: clock.now(),
    });
    tokenLog.info({ keyId: made.keyId, ...term }, 'signing_key.created');
  } catch (error) {
    // Another process added the key of this generation first. Use that one.
    if (!isDuplicateKey(error)) throw error;
  }
}
