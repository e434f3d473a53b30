import type { Attempt } from '@agent-herald/client';

export type ErrorClass = NonNullable<Attempt['errorClass']>;

/** In the order in which an attempt meets them. */
export const errorClasses: readonly ErrorClass[] = [
  'dns',
  'connect',
  'tls',
  'timeout',
  'reset',
  'status',
  'too_large',
  'blocked',
];

/** What happened, as a sentence without its end. */
export const failures: Readonly<Record<Exclude<ErrorClass, 'status'>, string>> = {
  dns: 'The name of the receiver was not found',
  connect: 'The receiver could not be reached',
  tls: 'The secure connection to the receiver failed',
  timeout: 'The receiver sent no status line in time',
  reset: 'The connection ended without a valid status line',
  too_large: 'The receiver sent too much before a status line',
  blocked: 'No address of the receiver is public or allowed',
};

const remedies: Readonly<Record<Exclude<ErrorClass, 'status'>, string>> = {
  dns: 'Check the spelling of the URL, and that a public name server knows the name.',
  connect:
    'Nothing listens at this port, it listens on 127.0.0.1 only, or a firewall does not let the service in.',
  tls: 'Look for an expired or self-signed certificate, another host name, or an incomplete chain.',
  timeout: 'Its code works before it answers. Let it answer first, and work afterwards.',
  reset: 'The process crashed, or a proxy cut the connection.',
  too_large:
    'Endless interim responses or an endless reason phrase. Respond with 204 without a body.',
  blocked:
    'If a name has no public address, correct its DNS. If the URL is refused, correct it, then resend.',
};

const remediesByStatus: Readonly<Record<number, string>> = {
  400: 'Its verifier may get a body that is no JSON any more.',
  401: 'The signature is wrong for it: see “Verify the signature”. Or a gateway wants a credential.',
  403: 'A firewall refuses it, or a protection against forged requests: except this route from it.',
  404: 'It has another path than the URL of the webhook.',
  405: 'Its route must take POST.',
  410: 'It said that it is gone, so the service paused the webhook.',
  413: 'The payload is too large for it: raise the limit of its server or proxy.',
  415: 'It must accept application/json.',
  429: 'It asks for time: set a rate per second for the webhook.',
  503: 'It asks for time: set a rate per second for the webhook.',
};

function remedyForStatus(status: number): string {
  const own = remediesByStatus[status];
  if (own !== undefined) return own;
  if (status < 400) return 'Redirects are not followed: register the URL of its Location.';
  return status < 500
    ? 'Only an answer 2xx means delivered.'
    : 'Its code failed, or the proxy before it. Its log says why.';
}

/** Returns what an attempt met, and what to do about it; null for a success. */
export function explainFailure({
  errorClass,
  status,
}: Pick<Attempt, 'errorClass' | 'status'>): { what: string; remedy: string } | null {
  if (errorClass === null) return null;
  if (errorClass !== 'status') return { what: failures[errorClass], remedy: remedies[errorClass] };
  return { what: `The receiver answered ${status}`, remedy: remedyForStatus(status ?? 0) };
}
