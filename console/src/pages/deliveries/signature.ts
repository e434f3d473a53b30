// Computes the signatures of a delivery step by step, with the browser's own crypto.

export interface SignedMessage {
  id: string;
  /** Whole seconds since 1970, as in `webhook-timestamp`. */
  timestamp: string;
  body: string;
}

/** All webhooks of an application have the same keys, so a signature `v1a` names the webhook. */
export interface AsymmetricMessage extends SignedMessage {
  webhookUid: string;
}

export interface Signatures {
  /** An entry of `webhook-signature` (Standard Webhooks). */
  standard: string;
  /** `X-Webhook-Signature`, which covers the body alone. */
  ofBody: string;
}

const prefix = 'whsec_';

/** Returns the text that Standard Webhooks signs. */
export function signedText({ id, timestamp, body }: SignedMessage): string {
  return `${id}.${timestamp}.${body}`;
}

function bytesOfBase64(text: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
}

async function hmac(key: Uint8Array<ArrayBuffer>, text: string): Promise<Uint8Array> {
  const algorithm = { name: 'HMAC', hash: 'SHA-256' };
  const imported = await crypto.subtle.importKey('raw', key, algorithm, false, ['sign']);
  return new Uint8Array(await crypto.subtle.sign('HMAC', imported, new TextEncoder().encode(text)));
}

/** Returns what is wrong with the form of a secret, or null. */
export function secretFault(secret: string): string | null {
  if (!secret.startsWith(prefix)) return `A secret starts with ${prefix}`;
  const isBase64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;
  const encoded = secret.slice(prefix.length);
  return encoded !== '' && isBase64.test(encoded)
    ? null
    : 'The secret is incomplete or has extra characters';
}

/** Signs a message with a secret, in this browser. */
export async function sign(secret: string, message: SignedMessage): Promise<Signatures> {
  const [standard, ofBody] = await Promise.all([
    hmac(bytesOfBase64(secret.slice(prefix.length)), signedText(message)),
    hmac(new TextEncoder().encode(secret), message.body),
  ]);
  const hex = [...ofBody].map((byte) => byte.toString(16).padStart(2, '0')).join('');
  return { standard: `v1,${btoa(String.fromCharCode(...standard))}`, ofBody: `sha256=${hex}` };
}

/** Checks whether a header contains one of the signatures. `webhook-signature` can have several entries. */
export function isSignedBy(header: string, { standard, ofBody }: Signatures): boolean {
  return header
    .trim()
    .split(/\s+/)
    .some((entry) => entry === standard || entry === ofBody);
}

// 64 bytes.
const asymmetricEntry = /^v1a,([A-Za-z0-9+/]{85}[AQgw]==)$/;

/** Returns the signatures of the `v1a` entries of a header. */
export function asymmetricIn(header: string): Uint8Array<ArrayBuffer>[] {
  return header
    .trim()
    .split(/\s+/)
    .flatMap((entry) => asymmetricEntry.exec(entry)?.[1] ?? [])
    .map(bytesOfBase64);
}

/** Checks whether a public key made one of the signatures. Rejects in a browser without Ed25519. */
export async function isSignedByKey(
  x: string,
  { id, timestamp, webhookUid, body }: AsymmetricMessage,
  signatures: readonly Uint8Array<ArrayBuffer>[],
): Promise<boolean> {
  const jwk = { kty: 'OKP', crv: 'Ed25519', x };
  const key = await crypto.subtle.importKey('jwk', jwk, 'Ed25519', false, ['verify']);
  const signed = new TextEncoder().encode(`${id}.${timestamp}.${webhookUid}.${body}`);
  const results = signatures.map((signature) =>
    crypto.subtle.verify('Ed25519', key, signature, signed),
  );
  return (await Promise.all(results)).includes(true);
}
