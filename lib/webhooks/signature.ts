import { createHmac, type KeyObject, randomBytes, sign } from 'node:crypto';

const secretPrefix = 'whsec_';

export function newWebhookSecret(): string {
  return secretPrefix + randomBytes(32).toString('base64');
}

/** Returns `X-Webhook-Signature` (docs/webhooks.md, "Verifying"). The key is the whole text of the secret. */
export function signBody(secret: string, body: string): string {
  return `sha256=${createHmac('sha256', secret).update(body, 'utf8').digest('hex')}`;
}

interface StandardMessage {
  id: string;
  timestampSeconds: number;
  body: string;
}

/** Returns an entry of `webhook-signature` (Standard Webhooks 1.0.0). The key is the secret, decoded without prefix. */
export function signStandardMessage(secret: string, message: StandardMessage): string {
  const key = Buffer.from(
    secret.startsWith(secretPrefix) ? secret.slice(secretPrefix.length) : secret,
    'base64',
  );
  return `v1,${createHmac('sha256', key).update(contentOf(message), 'utf8').digest('base64')}`;
}

/** Returns an entry of `webhook-signature` by Ed25519 (Standard Webhooks 1.0.0). */
export function signWithKey(key: KeyObject, message: StandardMessage): string {
  return `v1a,${sign(null, Buffer.from(contentOf(message), 'utf8'), key).toString('base64')}`;
}

function contentOf({ id, timestampSeconds, body }: StandardMessage): string {
  return `${id}.${timestampSeconds}.${body}`;
}
