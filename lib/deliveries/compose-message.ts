import { createTouch } from '../concurrency/touch.ts';
import { deliveryLog } from '../platform/logger.ts';
import type { SecretBox } from '../platform/secret-box.ts';
import { userAgent } from '../platform/version.ts';
import type { SendMessage } from '../egress/http-sender.ts';
import { requestHeaders } from '../egress/request-headers.ts';
import { testEventName } from '../model/event-name.ts';
import type { TraceContext } from '../model/trace-context.ts';
import type { EventToAttempt } from '../model/event.ts';
import type { WebhookDocument } from '../model/webhook.ts';
import { openCredentials } from '../webhooks/credentials.ts';
import { openSecrets } from '../webhooks/webhooks.ts';
import { deliveryHeaders, signatureHeaders } from './delivery-headers.ts';

interface AttemptToCompose {
  event: EventToAttempt;
  body: string;
  webhook: WebhookDocument;
  attemptNumber: number;
  now: Date;
  /** Null: the receiver is not told of a trace. */
  trace: TraceContext | null;
}

/** Returns what an attempt sends, with the webhook's secrets opened. Throws where they do not open. */
export function composeMessage(
  secretBox: SecretBox,
  { event, body, webhook, attemptNumber, now, trace }: AttemptToCompose,
): SendMessage {
  const { headers, clientCertificate, secretTexts } = openCredentials(secretBox, webhook);
  warnOfCertificate(webhook, now);
  const secrets = openSecrets(secretBox, webhook, now);
  const ours = deliveryHeaders({ ...factsOf(event), body, secrets, attemptNumber, now });
  const all = { ...headers, ...ours, ...traceHeaders(headers, trace) };
  return { headers: all, body, clientCertificate, secretTexts };
}

// A webhook's own `traceparent` of before the name was reserved stays as it is.
function traceHeaders(
  own: Readonly<Record<string, string>>,
  trace: TraceContext | null,
): Record<string, string> {
  const isOwn = Object.keys(own).some((name) => /^trace(parent|state)$/i.test(name));
  return isOwn || trace === null ? {} : { ...trace };
}

function factsOf(event: EventToShow) {
  const isTest = event.event === testEventName;
  return { eventId: event._id, sequence: event.sequence, isTest, userAgent };
}

type EventToShow = Pick<EventToAttempt, '_id' | 'event' | 'sequence'>;

interface AttemptToShow extends Pick<AttemptToCompose, 'attemptNumber' | 'now'> {
  event: EventToShow;
  webhook: Pick<WebhookDocument, 'headers' | 'auth'>;
}

/** Returns the headers that an attempt sends, with `…` for signatures and for what the webhook sends along. Opens nothing. */
export function showHeaders(attempt: AttemptToShow): Record<string, string> {
  const { event, webhook, attemptNumber, now } = attempt;
  const { headers, auth } = webhook;
  const own = [...(headers?.names ?? []), ...(auth === null ? [] : ['Authorization'])];
  const secrets = { body: '', standard: [] };
  const ours = deliveryHeaders({ ...factsOf(event), body: '', secrets, attemptNumber, now });
  return requestHeaders({ ...hide(own), ...ours, ...hide(signatureHeaders) }, userAgent);
}

function hide(names: readonly string[]): Record<string, string> {
  return Object.fromEntries(names.map((name) => [name, '…']));
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
