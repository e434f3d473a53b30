// Decodes secrets and public keys, as the service shows them.

export type Scheme = 'standard' | 'body-only';

// Rejects variables that were set with quotes, spaces or line breaks.
const line = /^(?![ "'`])[ -~]+(?<![ "'`])$/;
const standardSecret =
  /^whsec_(?=.)(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

/**
 * Returns the keys of `secrets`. With `body-only`, the key is the whole text (docs/webhooks.md, "Headers"). Throws
 * `TypeError` for an invalid secret, without showing it.
 */
export function keysOf(secrets: string | readonly string[], scheme: Scheme): Uint8Array[] {
  const list = Array.isArray(secrets) ? secrets : [secrets];
  if (list.length === 0) throw new TypeError('secrets must not be empty');
  return list.map((secret: unknown, index) => keyOf(secret, `secrets[${index}]`, scheme));
}

function keyOf(given: unknown, name: string, scheme: Scheme): Uint8Array {
  const secret = lineOf(given, name);
  const isText = scheme === 'body-only';
  const isOfService = !isText || secret.startsWith('whsec_');
  if (isOfService && !standardSecret.test(secret))
    throw new TypeError(`${name} must be whsec_ and base64, as the service showed it`);
  if (isText) return new TextEncoder().encode(secret);
  return bytesOf(secret.slice('whsec_'.length));
}

// 32 bytes.
const publicKey = /^whpk_[A-Za-z0-9+/]{42}[AEIMQUYcgkosw048]=$/;

/** Returns the bytes of Ed25519 public keys. Throws `TypeError` for an invalid one. */
export function publicKeysOf(publicKeys: string | readonly string[]): Uint8Array[] {
  const list = Array.isArray(publicKeys) ? publicKeys : [publicKeys];
  if (list.length === 0) throw new TypeError('publicKeys must not be empty');
  return list.map((given: unknown, index) => {
    const name = `publicKeys[${index}]`;
    const text = lineOf(given, name);
    if (!publicKey.test(text))
      throw new TypeError(`${name} must be whpk_ and base64, as the service showed it`);
    return bytesOf(text.slice('whpk_'.length));
  });
}

/** Returns the uid of a webhook. Throws `TypeError` for anything else. */
export function checkWebhookUid(webhookUid: unknown): string {
  if (typeof webhookUid === 'string' && /^whk_[0-9a-z]+$/.test(webhookUid)) return webhookUid;
  throw new TypeError(
    'webhookUid must be the uid of the webhook (whk_…) with publicKeys or keySetUrl',
  );
}

function lineOf(text: unknown, name: string): string {
  if (typeof text !== 'string' || text === '')
    throw new TypeError(
      `${name} must be a text that is not empty: is its environment variable set?`,
    );
  if (!line.test(text))
    throw new TypeError(`${name} must be printable ASCII, without spaces or quotes around it`);
  return text;
}

export function bytesOf(base64: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
}
