// Decodes the secrets of a webhook into keys.

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

function keyOf(secret: unknown, name: string, scheme: Scheme): Uint8Array {
  if (typeof secret !== 'string' || secret === '')
    throw new TypeError(
      `${name} must be a text that is not empty: is its environment variable set?`,
    );
  if (!line.test(secret))
    throw new TypeError(`${name} must be printable ASCII, without spaces or quotes around it`);
  const isText = scheme === 'body-only';
  const isOfService = !isText || secret.startsWith('whsec_');
  if (isOfService && !standardSecret.test(secret))
    throw new TypeError(`${name} must be whsec_ and base64, as the service showed it`);
  if (isText) return new TextEncoder().encode(secret);
  return Uint8Array.from(atob(secret.slice('whsec_'.length)), (letter) => letter.charCodeAt(0));
}
