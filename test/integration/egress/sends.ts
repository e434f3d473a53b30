// Requests of the sender's tests to receivers on this machine, and names for their results.
import type { EgressPolicy } from '../../../lib/egress/egress-policy.ts';
import type { SendRequest, SendResult } from '../../../lib/egress/http-sender.ts';

/** Lets a sender reach this machine at any port, in plain http, too. */
export const policyOfThisMachine: EgressPolicy = {
  allowHttp: true,
  ports: 'any',
  allowCidrs: ['127.0.0.0/8', '::1/128'],
  denyCidrs: [],
};

/** Makes a small request; `more` replaces what it has. */
export function post(url: string, more: Partial<SendRequest> = {}): SendRequest {
  return { url, headers: {}, body: '{}', timeoutMs: 30_000, ...more };
}

/** Returns the class of a failure, or a name for an unexpected answer. */
export function failureOf(result: SendResult): string {
  return result.kind === 'failed' ? result.errorClass : `answered ${result.status}`;
}

/** Returns the status of an answer, or a name for an unexpected failure. */
export function statusOf(result: SendResult): number | string {
  return result.kind === 'responded' ? result.status : `${result.errorClass}: ${result.detail}`;
}
