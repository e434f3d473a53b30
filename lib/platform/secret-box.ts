import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import type { SealedSecret } from '../model/sealed-secret.ts';

const algorithm = 'aes-256-gcm';
const keyBytes = 32;
const ivBytes = 12;
const tagBytes = 16;

export interface SealingKey {
  id: string;
  key: Buffer;
}

/** AES-256-GCM. `location` names the row and field, so that a sealed value moved to another row does not open. */
export interface SecretBox {
  seal(plain: string, location: string): SealedSecret;
  open(secret: SealedSecret, location: string): string;
}

/** Parses `id:base64,id:base64`, the sealing key first. Throws an Error that names the position, never a value. */
export function parseKeyRing(text: string): SealingKey[] {
  const keys = text.split(',').map((entry, index) => {
    const [id, encoded, ...rest] = entry.trim().split(':');
    const key = Buffer.from(encoded ?? '', 'base64');
    // Node's decoder ignores other characters, so a mistyped key would become another key.
    const isBase64 = /^[A-Za-z0-9+/_-]+=?$/.test(encoded ?? '');
    const isEntry = /^[A-Za-z0-9_-]{1,32}$/.test(id ?? '') && isBase64 && rest.length === 0;
    if (!id || !isEntry || key.length !== keyBytes) {
      throw new Error(
        `entry ${index + 1} must be id:base64 of ${keyBytes} bytes (got ${key.length} bytes)`,
      );
    }
    return { id, key };
  });
  if (new Set(keys.map((key) => key.id)).size !== keys.length) {
    throw new Error('two entries have the same id');
  }
  return keys;
}

/** Creates a box that seals with the first key of the ring. Throws if the ring is empty. */
export function createSecretBox(ring: readonly SealingKey[]): SecretBox {
  const [current] = ring;
  if (current === undefined) throw new Error('a secret box needs at least one key');
  const byId = new Map(ring.map((entry) => [entry.id, entry.key]));
  // A webhook in memory is opened once, not for each of its deliveries.
  const opened = new WeakMap<SealedSecret, { location: string; plain: string }>();

  return {
    seal(plain, location) {
      const iv = randomBytes(ivBytes);
      const cipher = createCipheriv(algorithm, current.key, iv, { authTagLength: tagBytes });
      cipher.setAAD(Buffer.from(location, 'utf8'));
      const text = Buffer.concat([cipher.update(plain, 'utf8'), cipher.final()]);
      const sealed = Buffer.concat([iv, cipher.getAuthTag(), text]).toString('base64');
      return { keyId: current.id, sealed };
    },
    open(secret, location) {
      const before = opened.get(secret);
      if (before?.location === location) return before.plain;
      const key = byId.get(secret.keyId);
      if (key === undefined) throw new Error(`the key ring has no key "${secret.keyId}"`);
      const bytes = Buffer.from(secret.sealed, 'base64');
      if (bytes.length < ivBytes + tagBytes) throw new Error('the sealed secret is too short');
      // Without authTagLength, Node accepts a tag of 4 bytes, which can be forged.
      const decipher = createDecipheriv(algorithm, key, bytes.subarray(0, ivBytes), {
        authTagLength: tagBytes,
      });
      decipher.setAAD(Buffer.from(location, 'utf8'));
      decipher.setAuthTag(bytes.subarray(ivBytes, ivBytes + tagBytes));
      const text = bytes.subarray(ivBytes + tagBytes);
      const plain = Buffer.concat([decipher.update(text), decipher.final()]).toString('utf8');
      opened.set(secret, { location, plain });
      return plain;
    },
  };
}
