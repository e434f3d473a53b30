// A webhook's secrets as keys.

export type Scheme = 'standard' | 'body-only';

const standardSecret = /^whsec_(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

/** Returns the keys of `secrets`. Throws `TypeError` for what cannot be a secret, without showing it. */
export function keysOf(secrets: string | readonly string[], scheme: Scheme): Uint8Array[] {
  const list = typeof secrets === 'string' ? [secrets] : secrets;
  if (!Array.isArray(list) || list.length === 0) throw new TypeError('secrets is empty');
  return list.map((secret: unknown, index) => {
    const name = typeof secrets === 'string' ? 'secrets' : `secrets[${index}]`;
    if (typeof secret !== 'string' || secret === '')
      throw new TypeError(`${name} is not a text, or empty: is its environment variable set?`);
    return scheme === 'standard' ? standardKey(secret, name) : new TextEncoder().encode(secret);
  });
}

function standardKey(secret: string, name: string): Uint8Array {
  if (secret === 'whsec_' || !standardSecret.test(secret))
    throw new TypeError(`${name} is not a webhook's secret: whsec_ and base64, as it was shown`);
  return Uint8Array.from(atob(secret.slice('whsec_'.length)), (letter) => letter.charCodeAt(0));
}
