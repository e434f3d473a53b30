import { createTouch } from '../concurrency/touch.ts';
import { deliveryLog } from '../platform/logger.ts';
import type { SecretBox } from '../platform/secret-box.ts';
import { userAgent } from '../platform/version.ts';
import type { SendMessage } from '../egress/http-sender.ts';
import { testEventName } from '../model/event-name.ts';
import type { EventToAttempt } from '../model/event.ts';
import type { WebhookDocument } from '../model/webhook.ts';
import { openCredentials } from '../webhooks/credentials.ts';
import { openSecrets } from '../webhooks/webhooks.ts';
import { deliveryHeaders } from './delivery-headers.ts';

interface AttemptToCompose {
  event: EventToAttempt;
  body: string;
  webhook: WebhookDocument;
  attemptNumber: number;
  now: Date;
}

/** Returns what an attempt sends, with the webhook's secrets opened. Throws where they do not open. */
export function composeMessage(
  secretBox: SecretBox,
  { event, body, webhook, attemptNumber, now }: AttemptToCompose,
): SendMessage {
  const { headers, clientCertificate, secretTexts } = openCredentials(secretBox, webhook);
  warnOfCertificate(webhook, now);
  const ours = deliveryHeaders({
    eventId: event._id,
    sequence: event.sequence,
    isTest: event.event === testEventName,
    body,
    secrets: openSecrets(secretBox, webhook, now),
    attemptNumber,
    now,
    userAgent,
  });
  return { headers: { ...headers, ...ours }, body, clientCertificate, secretTexts };
}

const dayMs = 24 * 60 * 60 * 1_000;
const warnBeforeMs = 14 * dayMs;
const isToBeLogged = createTouch(dayMs);

function warnOfCertificate({ _id, appUid, tls }: WebhookDocument, now: Date): void {
  if (tls === null || tls.notAfter.getTime() - now.getTime() > warnBeforeMs) return;
  if (!isToBeLogged(_id, now, null)) return;
  const notAfter = tls.notAfter.toISOString();
  deliveryLog.warn({ appUid, webhookUid: _id, notAfter }, 'webhook.certificate_expires');
}
