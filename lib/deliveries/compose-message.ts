import type { KeyObject } from 'node:crypto';
import { throttleById } from '../concurrency/throttle-by-id.ts';
import { dayMs } from '../platform/duration.ts';
import { deliveryLog } from '../platform/logger.ts';
import type { SecretBox } from '../platform/secret-box.ts';
import { userAgent } from '../platform/version.ts';
import type { SendMessage } from '../egress/sender.ts';
import { type challengeEventName, testEventName } from '../model/event-name.ts';
import type { TraceContext } from '../model/trace-context.ts';
import type { EventToAttempt } from '../model/event.ts';
import type { WebhookDocument } from '../model/webhook.ts';
import { cloudEventHeaders } from '../webhooks/cloud-events.ts';
import { openCredentials, openSecrets, type SigningSecrets } from '../webhooks/secrets.ts';
import { signBody, signStandardMessage, signWithKey } from '../webhooks/signature.ts';

type SignedEvent = Pick<EventToAttempt, '_id' | 'sequence'> & {
  event: EventToAttempt['event'] | typeof challengeEventName;
};

interface AttemptToCompose {
  event: SignedEvent & Pick<EventToAttempt, 'appUid' | 'createdAt'>;
  body: string;
  isSync: boolean;
  webhook: WebhookDocument;
  /** Signs `v1a`. Null if the webhook does not have it. */
  signingKey: KeyObject | null;
  attemptNumber: number;
  /** If this one fails. */
  attemptsLeft: number;
  now: Date;
  /** Null when the receiver gets no trace headers. */
  trace: TraceContext | null;
}

/** Returns the message of an attempt, with the webhook's secrets opened. Throws if they cannot be opened. */
export function composeMessage(secretBox: SecretBox, attempt: AttemptToCompose): SendMessage {
  const { body, webhook, now, trace } = attempt;
  const { headers, clientCertificate, secretTexts } = openCredentials(secretBox, webhook);
  warnOfCertificate(webhook, now);
  const secrets = openSecrets(secretBox, webhook, now);
  const ours = deliveryHeaders({ ...attempt, webhookUid: webhook._id, secrets });
  const more = webhook.cloudEvents ? cloudEventHeaders(attempt.event, body) : {};
  return {
    headers: { ...headers, ...ours, ...more, ...trace },
    // As bytes, so that only one copy of the payload stays in memory.
    body: Buffer.from(body),
    clientCertificate,
    secretTexts,
  };
}

interface AttemptToSign extends Pick<
  AttemptToCompose,
  'body' | 'isSync' | 'signingKey' | 'attemptNumber' | 'attemptsLeft' | 'now'
> {
  event: SignedEvent;
  webhookUid: string;
  secrets: SigningSecrets;
}

/** The headers of `deliveryHeaders` that depend on a secret. */
export const signatureHeaders = ['X-Webhook-Signature', 'webhook-signature'];

/** Returns the headers that describe the event and the attempt, and the signatures. */
export function deliveryHeaders(attempt: AttemptToSign): Record<string, string> {
  const { event, body, webhookUid, isSync, secrets, signingKey, attemptNumber, now } = attempt;
  const timestampSeconds = Math.floor(now.getTime() / 1_000);
  const message = { id: event._id, timestampSeconds, webhookUid, body };
  return {
    'Content-Type': 'application/json',
    'User-Agent': userAgent,
    'X-Webhook-Signature': signBody(secrets.body, body),
    'X-Webhook-Uid': webhookUid,
    'X-Webhook-Event-Id': event._id,
    'X-Webhook-Timestamp': now.toISOString(),
    'X-Webhook-Attempt': String(attemptNumber),
    'X-Webhook-Attempts-Left': String(attempt.attemptsLeft),
    ...(event.sequence === null ? {} : { 'X-Webhook-Sequence': String(event.sequence) }),
    ...(event.event === testEventName ? { 'X-Webhook-Test': 'true' } : {}),
    ...(isSync ? { 'X-Webhook-Trigger': 'sync' } : {}),
    'webhook-id': event._id,
    'webhook-timestamp': String(timestampSeconds),
    'webhook-signature': [
      ...secrets.standard.map((secret) => signStandardMessage(secret, message)),
      ...(signingKey === null ? [] : [signWithKey(signingKey, message)]),
    ].join(' '),
  };
}

const warnBeforeMs = 14 * dayMs;
const isToBeLogged = throttleById(dayMs);

function warnOfCertificate({ _id, appUid, tls }: WebhookDocument, now: Date): void {
  if (tls === null || tls.notAfter.getTime() - now.getTime() > warnBeforeMs) return;
  if (!isToBeLogged(_id, now, null)) return;
  const notAfter = tls.notAfter.toISOString();
  deliveryLog.warn({ appUid, webhookUid: _id, notAfter }, 'webhook.certificate_expires');
}
