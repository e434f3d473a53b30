// Ed25519 (RFC 8032) with Node's crypto if available, or else with WebCrypto.
import { type NodeCrypto, nodeCrypto } from './hmac.ts';

/** Checks a signature of the bytes. */
export type Check = (signed: Uint8Array, signature: Uint8Array) => Promise<boolean> | boolean;

/** Returns a function that checks signatures made with the private key of `key`, which has 32 bytes. */
export function checkerOf(key: Uint8Array, crypto: NodeCrypto | null = nodeCrypto ?? null): Check {
  return crypto === null ? webChecker(key) : nodeChecker(key, crypto);
}

function nodeChecker(key: Uint8Array, crypto: NodeCrypto): Check {
  const x = Buffer.from(key).toString('base64url');
  const jwk = { kty: 'OKP', crv: 'Ed25519', x };
  const imported = crypto.createPublicKey({ key: jwk, format: 'jwk' });
  return (signed, signature) => crypto.verify(null, signed, imported, signature);
}

function webChecker(key: Uint8Array): Check {
  const { subtle } = globalThis.crypto;
  let imported: ReturnType<typeof subtle.importKey> | undefined;
  return async (signed, signature) => {
    imported ??= subtle.importKey('raw', new Uint8Array(key), 'Ed25519', false, ['verify']);
    return subtle.verify(
      'Ed25519',
      await imported,
      new Uint8Array(signature),
      new Uint8Array(signed),
    );
  };
}
