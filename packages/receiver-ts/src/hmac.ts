// HMAC-SHA256 with Node's crypto if available, or else with WebCrypto.
import type * as cryptoModule from 'node:crypto';
import { builtinModule } from './builtin.ts';

/** Signs the concatenation of a text and bytes. */
export type Sign = (start: string, body: Uint8Array) => Promise<Uint8Array> | Uint8Array;

export type NodeCrypto = typeof cryptoModule;
export const nodeCrypto = builtinModule('node:crypto') as NodeCrypto | undefined;

/** Returns a function that signs with the key. */
export function signerOf(key: Uint8Array, crypto: NodeCrypto | null = nodeCrypto ?? null): Sign {
  return crypto === null ? webSigner(key) : nodeSigner(key, crypto);
}

function nodeSigner(key: Uint8Array, crypto: NodeCrypto): Sign {
  const secret = crypto.createSecretKey(key);
  return (start, body) =>
    crypto.createHmac('sha256', secret).update(start, 'utf8').update(body).digest();
}

function webSigner(key: Uint8Array): Sign {
  const { subtle } = globalThis.crypto;
  const algorithm = { name: 'HMAC', hash: 'SHA-256' };
  let imported: ReturnType<typeof subtle.importKey> | undefined;
  return async (start, body) => {
    imported ??= subtle.importKey('raw', key, algorithm, false, ['sign']);
    const prefix = new TextEncoder().encode(start);
    const message = new Uint8Array(prefix.length + body.length);
    message.set(prefix);
    message.set(body, prefix.length);
    return new Uint8Array(await subtle.sign('HMAC', await imported, message));
  };
}
