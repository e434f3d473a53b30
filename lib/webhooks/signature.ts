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
  const { id, timestampSeconds, body } = message;
  const content = `${id}.${timestampSeconds}.${body}`;
  return `v1,${createHmac('sha256', key).update(content, 'utf8').digest('base64')}`;
}

/**
 * Returns an entry of `webhook-signature` by Ed25519. It names the webhook, because all webhooks of an application have
 * the same key, and a receiver could otherwise forward its requests to the others.
 */
export function signWithKey(
  key: KeyObject,
  { id, timestampSeconds, webhookUid, body }: StandardMessage & { webhookUid: string },
): string {
  const content = Buffer.from(`${id}.${timestampSeconds}.${webhookUid}.${body}`, 'utf8');
  return `v1a,${sign(null, content, key).toString('base64')}`;
}
