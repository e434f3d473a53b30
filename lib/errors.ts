// The closed list of error codes that clients see, and the error that carries them.
// The codes are the contract (docs/api.md, "Errors"): clients and tests branch on them, never on the text.

interface ErrorKind {
  status: number;
  title: string;
}

const kinds = {
  malformed_request: { status: 400, title: 'The request is malformed' },
  malformed_json: { status: 400, title: 'The body is not acceptable JSON' },
  invalid_request: { status: 400, title: 'The request does not match its schema' },
  invalid_cursor: { status: 400, title: 'The cursor is not one this list gave out' },
  credentials_conflict: { status: 400, title: 'More than one credential was sent' },
  unauthenticated: { status: 401, title: 'No valid API key was sent' },
  not_signed_in: { status: 401, title: 'No admin is signed in' },
  sign_in_refused: { status: 401, title: 'The e-mail or the password is wrong' },
  cross_site_request: { status: 403, title: 'The request does not come from our own pages' },
  insufficient_role: { status: 403, title: 'The admin lacks the role for this call' },
  app_disabled: { status: 403, title: 'The application is disabled' },
  insufficient_scope: { status: 403, title: 'The API key lacks the scope for this call' },
  not_found: { status: 404, title: 'There is no such thing here' },
  method_not_allowed: { status: 405, title: 'The method is not allowed on this path' },
  request_timeout: { status: 408, title: 'The request took too long to arrive' },
  conflict: { status: 409, title: 'The request conflicts with the current state' },
  limit_reached: { status: 409, title: 'A limit of this application is reached' },
  legacy_auth_retired: { status: 410, title: 'The legacy authentication flow is retired' },
  payload_too_large: { status: 413, title: 'The body is too large' },
  unsupported_media_type: { status: 415, title: 'The content type is not supported' },
  expectation_failed: { status: 417, title: 'The expectation cannot be met' },
  password_refused: { status: 422, title: 'The password cannot be used' },
  unknown_admin: { status: 422, title: 'There is no admin with this e-mail' },
  unknown_account_uids: { status: 422, title: 'Some accounts do not exist in this application' },
  unknown_webhook_uids: { status: 422, title: 'Some webhooks do not exist in this application' },
  invalid_webhook_url: { status: 422, title: 'The webhook URL cannot be used' },
  idempotency_key_reused: { status: 422, title: 'The idempotency key was used for another body' },
  rate_limited: { status: 429, title: 'Too many requests came' },
  too_many_sign_ins: { status: 429, title: 'Too many sign-ins failed' },
  headers_too_large: { status: 431, title: 'The request headers are too large' },
  internal: { status: 500, title: 'Something went wrong on our side' },
  overloaded: { status: 503, title: 'The service has too much to do right now' },
  unavailable: { status: 503, title: 'The service cannot answer right now' },
} as const satisfies Record<string, ErrorKind>;

export type ErrorCode = keyof typeof kinds;

/** One fault in a request: where (a JSON pointer into the body, or a parameter's name), what, why. */
export interface FieldError {
  pointer: string;
  code: string;
  detail: string;
}

export interface AppErrorOptions {
  errors?: FieldError[];
  headers?: Record<string, string>;
  cause?: unknown;
}

/** An error whose code, status and message a client may see; the `cause` stays here. */
export class AppError extends Error {
  readonly code: ErrorCode;
  readonly status: number;
  readonly title: string;
  readonly errors: FieldError[] | undefined;
  readonly headers: Record<string, string>;

  constructor(code: ErrorCode, detail: string, options: AppErrorOptions = {}) {
    super(detail, { cause: options.cause });
    this.name = 'AppError';
    this.code = code;
    this.status = kinds[code].status;
    this.title = kinds[code].title;
    this.errors = options.errors;
    this.headers = options.headers ?? {};
  }
}

/** The body of an error answer, as RFC 9457 (application/problem+json) lays it out. */
export interface Problem {
  type: string;
  title: string;
  status: number;
  detail: string;
  code: ErrorCode;
  requestId: string;
  errors?: FieldError[];
}

/** Turns an error into the body a client gets; a 5xx never tells more than its title. */
export function presentProblem(error: AppError, requestId: string): Problem {
  const exposed = error.status < 500 || error.status === 503;
  return {
    type: `urn:agent-herald:problem:${error.code}`,
    title: error.title,
    status: error.status,
    detail: exposed ? error.message : 'The fault is logged under the request id.',
    code: error.code,
    requestId,
    ...(error.errors === undefined ? {} : { errors: error.errors }),
  };
}
