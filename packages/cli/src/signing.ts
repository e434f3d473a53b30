// Signs requests like the service does (docs/webhooks.md, "Headers").
import { createHmac, randomBytes } from 'node:crypto';
import { version } from './version.ts';

export interface SignedEvent {
  readonly eventId: string;
  readonly sequence: number | null;
  readonly body: string;
}

export const newSecret = (): string => `whsec_${randomBytes(32).toString('base64')}`;

/** Returns the headers of the first attempt at an event. */
export function signedHeaders(
  { eventId, sequence, body }: SignedEvent,
  secret: string,
  now: Date,
): Record<string, string> {
  const seconds = Math.floor(now.getTime() / 1_000);
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
  const standard = createHmac('sha256', key).update(`${eventId}.${seconds}.${body}`);
  return {
    'Content-Type': 'application/json',
    'User-Agent': `agent-herald/${version}`,
    'X-Webhook-Signature': `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`,
    'X-Webhook-Event-Id': eventId,
    'X-Webhook-Timestamp': now.toISOString(),
    'X-Webhook-Attempt': '1',
    'X-Webhook-Attempts-Left': '0',
    ...(sequence === null ? {} : { 'X-Webhook-Sequence': String(sequence) }),
    'webhook-id': eventId,
    'webhook-timestamp': String(seconds),
    'webhook-signature': `v1,${standard.digest('base64')}`,
  };
}
