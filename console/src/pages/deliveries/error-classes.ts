import type { Attempt, ErrorClass } from '@agent-herald/client';

/** Describes each failure in a sentence without a full stop. */
export const failures: Readonly<Record<Exclude<ErrorClass, 'status'>, string>> = {
  dns: 'The host name of the receiver was not found',
  connect: 'The service could not connect to the receiver',
  tls: 'The TLS connection to the receiver failed',
  timeout: 'The receiver did not respond in time',
  reset: 'The connection ended before a valid response',
  too_large: 'The receiver sent too much data before its status line',
  blocked: 'The receiver has no public or allowed address',
};

const remedies: Readonly<Record<Exclude<ErrorClass, 'status'>, string>> = {
  dns: 'Check the spelling of the URL, and that public DNS resolves the name.',
  connect:
    'Nothing listens on this port, the server listens on 127.0.0.1 only, or a firewall blocks the service.',
  tls: 'Look for an expired or self-signed certificate, a wrong host name, or an incomplete chain.',
  timeout: 'Most receivers that time out do their work first. Respond first, then do the work.',
  reset: 'The process crashed, or a proxy cut the connection.',
  too_large:
    'It sent endless interim responses or an endless reason phrase. Respond with 204 and no body.',
  blocked:
    'If the name has no public address, correct its DNS. If the URL is not allowed, change it. Then resend.',
};

const remediesByStatus: Readonly<Record<number, string>> = {
  400: 'Something may have changed the body before the receiver verified it.',
  401: 'The signature does not match: see “Verify the signature”. Or a gateway requires credentials.',
  403: 'A firewall or CSRF protection rejects the request. Exempt this route.',
  404: 'The receiver has no route at the path of the webhook URL.',
  405: 'The route of the receiver must accept POST.',
  410: 'The receiver says that it is gone, so the service deactivated the webhook.',
  413: 'The payload is too large for the receiver. Raise the limit of its server or proxy.',
  415: 'The receiver must accept application/json.',
  429: 'The receiver is overloaded. Set a rate limit for the webhook.',
  503: 'The receiver is overloaded. Set a rate limit for the webhook.',
};

function remedyForStatus(status: number): string {
  const own = remediesByStatus[status];
  if (own !== undefined) return own;
  if (status < 400) return 'Redirects are not followed. Register the URL from the Location header.';
  return status < 500
    ? 'Only a 2xx response counts as delivered.'
    : "The receiver's code, or a proxy in front of it, failed. Check their logs.";
}

/** Returns what went wrong in an attempt and what to do about it. Null for a success. */
export function explainFailure({
  errorClass,
  status,
}: Pick<Attempt, 'errorClass' | 'status'>): { what: string; remedy: string } | null {
  if (errorClass === null) return null;
  if (errorClass !== 'status') return { what: failures[errorClass], remedy: remedies[errorClass] };
  return { what: `The receiver responded with ${status}`, remedy: remedyForStatus(status ?? 0) };
}
