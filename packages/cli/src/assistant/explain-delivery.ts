import type { Attempt, Delivery } from '../../../client-ts/src/index.ts';

type Facts = Pick<
  Delivery,
  'state' | 'cancelReason' | 'attempts' | 'attemptCount' | 'nextAttemptAt'
>;

const states: Readonly<Record<Delivery['state'], string>> = {
  pending:
    'It has not been tried since it was queued. It may wait for an earlier event of its resource, for the rate of the webhook, or for a free connection.',
  retrying: 'All attempts so far failed. The service tries again by itself.',
  delivered: 'The receiver accepted it. There is nothing to do.',
  exhausted:
    'All attempts failed, and there are no more. Correct the cause, then recover the webhook or resend the event.',
  held: 'The webhook is paused or deactivated. It is sent when the webhook is resumed.',
  cancelled: 'It was not sent, or not tried again.',
  blocked:
    'The service may not send to this URL, for example because its address is not public. Change the URL of the webhook.',
};

const cancelReasons: Readonly<Record<NonNullable<Delivery['cancelReason']>, string>> = {
  expired: 'It was held for too long. Recover the webhook to send it.',
  abandoned: 'It stayed open for longer than records are kept. Recover the webhook to send it.',
  discarded:
    'Held deliveries were discarded when the webhook was resumed. Resend it if it is wanted.',
  skipped: 'Somebody skipped it. Resend it if it is wanted.',
  unsubscribed: 'The webhook was no longer subscribed to the event.',
  webhook_deleted: 'The webhook was deleted.',
  erased: 'The payload was erased, so there is nothing to send.',
};

const causes: Readonly<Record<NonNullable<Attempt['errorClass']>, string>> = {
  dns: 'The host name of the URL was not found. Check the name, and the DNS of the receiver.',
  connect: 'No connection: the receiver does not listen there, or a firewall drops it.',
  tls: 'The TLS handshake failed: look at the certificate of the receiver and its dates.',
  timeout:
    'The receiver did not respond within 5 s. It should respond first and do longer work afterwards.',
  reset: 'The connection was closed before the response was complete.',
  status: 'The receiver responded with another status than 2xx.',
  too_large: 'The response was too large.',
  blocked: 'The name has no public address.',
};

/** Says in sentences what happened to a delivery and what to do. */
export function explainDelivery(delivery: Facts): string[] {
  const { state, cancelReason, attempts, attemptCount, nextAttemptAt } = delivery;
  const last = attempts.at(-1);
  const counted = `${attemptCount} ${attemptCount === 1 ? 'attempt' : 'attempts'} made.`;
  return [
    states[state],
    ...(cancelReason === null ? [] : [cancelReasons[cancelReason]]),
    counted,
    ...(last === undefined || last.errorClass === null ? [] : [causeOf(last)]),
    ...(nextAttemptAt === null ? [] : [`The next attempt is at ${nextAttemptAt}.`]),
  ];
}

function causeOf({ errorClass, status }: Attempt): string {
  if (errorClass === null) return '';
  if (errorClass !== 'status') return `Last failure: ${causes[errorClass]}`;
  const hints: Readonly<Record<number, string>> = {
    401: ' It probably rejected the signature: compare the secret, and the raw body that it verifies.',
    403: ' It may be a firewall or a missing credential.',
    404: ' Check the path of the URL.',
    410: ' With 410 the service stops trying and deactivates the webhook.',
    429: ' It asks for fewer requests: set `ratePerSecond`.',
  };
  return `Last failure: the receiver responded with ${status}.${hints[status ?? 0] ?? ''}`;
}
