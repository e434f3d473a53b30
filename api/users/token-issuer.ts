// Signs user tokens and publishes the public keys, over the signing keys in the database.
import type { JWK } from 'jose';
import type { Clock } from '../../lib/clock.ts';
import type { SecretBox } from '../../lib/crypto/secret-box.ts';
import { createSigningKey, importSigningKey, signUserToken } from '../../lib/crypto/user-token.ts';
import type { SigningKey, UserClaims } from '../../lib/crypto/user-token.ts';
import { isDuplicateKey } from '../../lib/store/connect.ts';
import type { Store } from '../../lib/store/connect.ts';

export interface TokenIssuerPorts {
  store: Store;
  secretBox: SecretBox;
  clock: Clock;
  issuer: string;
  lifetimeMs: number;
}

export interface IssuedToken {
  authToken: string;
  expiresAt: Date;
}

export interface TokenIssuer {
  issue(claims: UserClaims): Promise<IssuedToken>;
  /** The public keys a verifier may meet, as a JWK set. */
  publicKeys(): Promise<{ keys: JWK[] }>;
}

// Another process may rotate the key: none signs with an old one for longer than this.
const keyCachedMs = 60_000;

/** Makes the issuer of a process. The first token of a new installation makes the first key. */
export function createTokenIssuer(ports: TokenIssuerPorts): TokenIssuer {
  let cached: { key: Promise<SigningKey>; readAt: number } | null = null;

  function currentKey(): Promise<SigningKey> {
    const now = ports.clock.now().getTime();
    if (cached === null || now - cached.readAt > keyCachedMs) {
      const key = loadSigningKey(ports);
      cached = { key, readAt: now };
      // A failure is not kept: the next sign-in tries again.
      key.catch(() => (cached = null));
    }
    return cached.key;
  }

  return {
    async issue(claims) {
      const now = ports.clock.now();
      const key = await currentKey();
      const { issuer, lifetimeMs } = ports;
      return signUserToken(key, claims, { issuer, now, lifetimeMs });
    },
    async publicKeys() {
      await currentKey();
      const keys = await ports.store.signingKeys.find().sort({ createdAt: -1 }).toArray();
      return { keys: keys.map((key) => key.publicKey) };
    },
  };
}

async function loadSigningKey(ports: TokenIssuerPorts): Promise<SigningKey> {
  const stored = await ports.store.signingKeys.findOne({ active: true });
  if (stored !== null) {
    const privateKey = ports.secretBox.open(stored.privateKey, signingKeyPlace(stored._id));
    return importSigningKey(stored._id, privateKey);
  }
  const made = await createSigningKey();
  try {
    await ports.store.signingKeys.insertOne({
      _id: made.keyId,
      publicKey: made.publicKey,
      privateKey: ports.secretBox.seal(made.privateKeyPem, signingKeyPlace(made.keyId)),
      active: true,
      createdAt: ports.clock.now(),
    });
  } catch (error) {
    // Another process made the first key at the same moment; use that one.
    if (!isDuplicateKey(error)) throw error;
  }
  return loadSigningKey(ports);
}

function signingKeyPlace(keyId: string): string {
  return `signingKeys/${keyId}/privateKey`;
}
