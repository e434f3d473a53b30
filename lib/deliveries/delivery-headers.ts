import { signBody, signStandardMessage } from '../webhooks/signature.ts';
import type { SigningSecrets } from '../webhooks/webhooks.ts';

interface AttemptToSign {
  eventId: string;
  /** Null for a test, and for what is told to operations. */
  sequence: number | null;
  isTest: boolean;
  body: string;
  secrets: SigningSecrets;
  attemptNumber: number;
  now: Date;
  userAgent: string;
}

/** Those of `deliveryHeaders` that are made with a secret. */
export const signatureHeaders = ['X-Webhook-Signature', 'webhook-signature'];

export function deliveryHeaders(attempt: AttemptToSign): Record<string, string> {
  const timestampSeconds = Math.floor(attempt.now.getTime() / 1_000);
  const message = { id: attempt.eventId, timestampSeconds, body: attempt.body };
  return {
    'Content-Type': 'application/json',
    'User-Agent': attempt.userAgent,
    'X-Webhook-Signature': signBody(attempt.secrets.body, attempt.body),
    'X-Webhook-Event-Id': attempt.eventId,
    'X-Webhook-Timestamp': attempt.now.toISOString(),
    'X-Webhook-Attempt': String(attempt.attemptNumber),
    ...(attempt.sequence === null ? {} : { 'X-Webhook-Sequence': String(attempt.sequence) }),
    ...(attempt.isTest ? { 'X-Webhook-Test': 'true' } : {}),
    'webhook-id': attempt.eventId,
    'webhook-timestamp': String(timestampSeconds),
    'webhook-signature': attempt.secrets.standard
      .map((secret) => signStandardMessage(secret, message))
      .join(' '),
  };
}
