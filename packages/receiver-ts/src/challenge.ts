// The challenge that the service sends before a webhook becomes active. It is answered unverified, because the receiver may
// not have the secret yet: the answer only agrees to requests, and contains nothing but the random value.
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
const shape = /^[A-Za-z0-9_-]{32}$/;
/** A stranger could make the parser work on longer ones. */
const bytesMax = 1_024;

/** Returns the value of a challenge, or null for any other body. */
export function challengeIn(body: Uint8Array): string | null {
  if (body.length > bytesMax) return null;
  const { event, challenge } = parse(body) ?? {};
  const isChallenge = event === 'webhook.challenge' && typeof challenge === 'string';
  return isChallenge && shape.test(challenge) ? challenge : null;
}

function parse(body: Uint8Array): { event?: unknown; challenge?: unknown } | null {
  try {
    return JSON.parse(utf8.decode(body)) as object | null;
  } catch {
    return null;
  }
}
