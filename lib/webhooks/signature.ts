import { createHmac, randomBytes } from 'node:crypto';

const secretPrefix = 'whsec_';

export function newWebhookSecret(): string {
  return secretPrefix + randomBytes(32).toString('base64');
}

/** Returns `X-Webhook-Signature` (docs/webhooks.md, "Verifying"). The key is the whole text of the secret. */
export function signBody(secret: string, body: string): string {
  return `sha256=${createHmac('sha256', secret).update(body, 'utf8').digest('hex')}`;
}

/** Returns an entry of `webhook-signature` (Standard Webhooks 1.0.0). The key is the secret, decoded without prefix. */
export function signStandardMessage(
  secret: string,
  { id, timestampSeconds, body }: { id: string; timestampSeconds: number; body: string },
): string {
  const key = Buffer.from(
    secret.startsWith(secretPrefix) ? secret.slice(secretPrefix.length) : secret,
    'base64',
  );
  const content = `${id}.${timestampSeconds}.${body}`;
  return `v1,${createHmac('sha256', key).update(content, 'utf8').digest('base64')}`;
}
