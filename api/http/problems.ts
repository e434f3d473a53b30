// Maps errors to HTTP responses: statuses, headers and bodies (RFC 9457, application/problem+json).
import { AppError, type AppErrorOptions, type ErrorCode } from '../../lib/platform/errors.ts';

/** Without a charset: JSON has none (RFC 8259 §11). */
export const problemType = 'application/problem+json';

const kinds: Readonly<Record<ErrorCode, { status: number; title: string }>> = {
  malformed_request: { status: 400, title: 'The request is malformed' },
  malformed_json: { status: 400, title: 'The body is not acceptable JSON' },
  invalid_request: { status: 400, title: 'The request does not match its schema' },
  invalid_cursor: { status: 400, title: 'The cursor does not belong to this list' },
  credentials_conflict: { status: 400, title: 'More than one credential was sent' },
  unauthenticated: { status: 401, title: 'No valid API key was sent' },
  not_signed_in: { status: 401, title: 'No admin is signed in' },
  sign_in_refused: { status: 401, title: 'The email or the password is wrong' },
  cross_site_request: { status: 403, title: 'The request came from another site' },
  insufficient_role: { status: 403, title: 'The admin lacks the role for this call' },
  app_disabled: { status: 403, title: 'The application is disabled' },
  insufficient_scope: { status: 403, title: 'The API key lacks the scope for this call' },
  not_found: { status: 404, title: 'The resource was not found' },
  method_not_allowed: { status: 405, title: 'The method is not allowed on this path' },
  request_timeout: { status: 408, title: 'The request took too long to arrive' },
  conflict: { status: 409, title: 'The request conflicts with the current state' },
  limit_reached: { status: 409, title: 'A limit has been reached' },
  legacy_auth_retired: { status: 410, title: 'The legacy authentication flow is retired' },
  payload_too_large: { status: 413, title: 'The body is too large' },
  unsupported_media_type: { status: 415, title: 'The content type is not supported' },
  expectation_failed: { status: 417, title: 'The expectation cannot be met' },
  password_refused: { status: 422, title: 'The password cannot be used' },
  unknown_admin: { status: 422, title: 'No admin has this email' },
  unknown_account_uids: { status: 422, title: 'Some accounts do not exist in this application' },
  unknown_webhook_uids: { status: 422, title: 'Some webhooks do not exist in this application' },
  invalid_webhook_url: { status: 422, title: 'The webhook URL cannot be used' },
  challenge_failed: { status: 422, title: 'The receiver did not answer the challenge' },
  idempotency_key_reused: { status: 422, title: 'The idempotency key was used with another body' },
  rate_limited: { status: 429, title: 'Too many requests' },
  too_many_sign_ins: { status: 429, title: 'Too many failed sign-ins' },
  headers_too_large: { status: 431, title: 'The request headers are too large' },
  internal: { status: 500, title: 'Something went wrong on our side' },
  overloaded: { status: 503, title: 'The service is overloaded' },
  unavailable: { status: 503, title: 'The service is unavailable' },
};

// A 401 requires `WWW-Authenticate` (RFC 9110 §15.5.2). Cookies have no registered scheme.
const challenges: Partial<Record<ErrorCode, string>> = {
  unauthenticated: 'Bearer realm="agent-herald"',
  not_signed_in: 'Session realm="agent-herald"',
  sign_in_refused: 'Session realm="agent-herald"',
};

export class HttpError extends AppError {
  readonly headers: Readonly<Record<string, string>>;

  constructor(
    code: ErrorCode,
    detail: string,
    { headers, ...options }: AppErrorOptions & { headers: Record<string, string> },
  ) {
    super(code, detail, options);
    this.headers = headers;
  }
}

export function statusOfCode(code: ErrorCode): number {
  return kinds[code].status;
}

export function titleOfCode(code: ErrorCode): string {
  return kinds[code].title;
}

export function headersOf(error: AppError): Record<string, string> {
  const challenge = challenges[error.code];
  const { retryAfterSeconds } = error;
  return {
    ...(challenge === undefined ? {} : { 'www-authenticate': challenge }),
    ...(retryAfterSeconds === undefined ? {} : { 'retry-after': String(retryAfterSeconds) }),
    ...(error instanceof HttpError ? error.headers : {}),
  };
}

/** Returns the body for clients. A 5xx other than 503 reveals no detail. */
export function presentProblem(error: AppError, requestId: string): Record<string, unknown> {
  const { status, title } = kinds[error.code];
  const exposed = status < 500 || status === 503;
  return {
    type: `urn:agent-herald:problem:${error.code}`,
    title,
    status,
    detail: exposed ? error.message : 'The fault is logged under the request ID.',
    code: error.code,
    requestId,
    ...(error.errors === undefined ? {} : { errors: error.errors }),
  };
}
