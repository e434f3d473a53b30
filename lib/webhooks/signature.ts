// The signatures of a delivery: the service's own header and those of Standard Webhooks.
import { createHmac, randomBytes } from 'node:crypto';

const secretPrefix = 'whsec_';
const secretBytes = 32;

/** Makes a webhook's signing secret: `whsec_` and the base64 of 32 random bytes. */
export function newWebhookSecret(): string {
  return secretPrefix + randomBytes(secretBytes).toString('base64');
}

/**
 * The value of `X-Webhook-Signature` (docs/webhooks.md, "Verifying"): `sha256=` and the hex
 * HMAC-SHA256 of the raw body. The key is the UTF-8 of the whole secret string, prefix included,
 * because that is what a receiver that follows those pages uses.
 */
export function signBody(secret: string, body: string): string {
  return `sha256=${createHmac('sha256', secret).update(body, 'utf8').digest('hex')}`;
}

export interface StandardMessage {
  id: string;
  /** Whole seconds since 1970, the time of this attempt. */
  timestampSeconds: number;
  body: string;
}

/**
 * The value of `webhook-signature` (Standard Webhooks 1.0.0): `v1,` and the base64 HMAC-SHA256 of
 * `id.timestamp.body`. The key is the decoded bytes after the secret's prefix.
 */
export function signStandardMessage(secret: string, message: StandardMessage): string {
  const key = Buffer.from(
    secret.startsWith(secretPrefix) ? secret.slice(secretPrefix.length) : secret,
    'base64',
  );
  const content = `${message.id}.${message.timestampSeconds}.${message.body}`;
  return `v1,${createHmac('sha256', key).update(content, 'utf8').digest('base64')}`;
}
