// The problems of a call: those of its access, query and body, and its own.
import type { ErrorCode } from '../../lib/platform/errors.ts';
import type { Access } from '../access/admit.ts';
import type { Route } from '../route.ts';

const ofEveryCall: readonly ErrorCode[] = [
  'malformed_request',
  'request_timeout',
  'expectation_failed',
  'headers_too_large',
  'internal',
  'overloaded',
  'unavailable',
];

const ofAccess: Readonly<Record<Access['kind'], readonly ErrorCode[]>> = {
  open: [],
  key: [
    'invalid_request',
    'credentials_conflict',
    'unauthenticated',
    'app_disabled',
    'insufficient_scope',
    'not_found',
    'rate_limited',
  ],
  admin: [
    'invalid_request',
    'credentials_conflict',
    'not_signed_in',
    'cross_site_request',
    'insufficient_role',
    'not_found',
    'rate_limited',
  ],
  own_pages: ['invalid_request', 'cross_site_request', 'rate_limited'],
};

const ofBody: readonly ErrorCode[] = [
  'malformed_json',
  'invalid_request',
  'payload_too_large',
  'unsupported_media_type',
];

export function problemsOf({ access, body, handler }: Route): ErrorCode[] {
  const { operation, parameters = {} } = handler;
  return [
    ...new Set([
      ...ofEveryCall,
      ...ofAccess[access.kind],
      ...(body === null ? [] : ofBody),
      ...('cursor' in parameters ? (['invalid_cursor'] as const) : []),
      ...(operation.takesIdempotencyKey ? (['idempotency_key_reused'] as const) : []),
      ...(operation.problems ?? []),
    ]),
  ];
}
