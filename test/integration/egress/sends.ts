// Requests to receivers on this machine for tests of the sender, and names for their results.
import type { EgressPolicy } from '../../../lib/egress/egress-policy.ts';
import type { SendRequest, SendResult } from '../../../lib/egress/sender.ts';

/** Lets a sender reach this machine at any port, even over plain http. */
export const policyOfThisMachine: EgressPolicy = {
  allowHttp: true,
  ports: 'any',
  allowCidrs: ['127.0.0.0/8', '::1/128'],
  denyCidrs: [],
};

/** Returns a small request. `more` replaces parts of it. */
export function post(url: string, more: Partial<SendRequest> = {}): SendRequest {
  return { url, headers: {}, body: '{}', timeoutMs: 30_000, ...more };
}

/** Returns the class of a failure, or a description of an unexpected response. */
export function failureOf(result: SendResult): string {
  return result.kind === 'failed' ? result.errorClass : `answered ${result.status}`;
}

/** Returns the status of a response, or a description of an unexpected failure. */
export function statusOf(result: SendResult): number | string {
  return result.kind === 'responded' ? result.status : `${result.errorClass}: ${result.detail}`;
}
