/** Clients branch on the code, never on the text (docs/api.md, "Errors"). */
export type ErrorCode =
  | 'malformed_request'
  | 'malformed_json'
  | 'invalid_request'
  | 'invalid_cursor'
  | 'credentials_conflict'
  | 'unauthenticated'
  | 'not_signed_in'
  | 'sign_in_refused'
  | 'cross_site_request'
  | 'insufficient_role'
  | 'app_disabled'
  | 'insufficient_scope'
  | 'not_found'
  | 'method_not_allowed'
  | 'request_timeout'
  | 'conflict'
  | 'limit_reached'
  | 'legacy_auth_retired'
  | 'payload_too_large'
  | 'unsupported_media_type'
  | 'expectation_failed'
  | 'password_refused'
  | 'unknown_admin'
  | 'unknown_account_uids'
  | 'unknown_webhook_uids'
  | 'invalid_webhook_url'
  | 'idempotency_key_reused'
  | 'rate_limited'
  | 'too_many_sign_ins'
  | 'headers_too_large'
  | 'internal'
  | 'overloaded'
  | 'unavailable';

export interface FieldError {
  /** A JSON pointer into the body, or the name of a parameter. */
  pointer: string;
  code: string;
  detail: string;
}

export interface AppErrorOptions {
  errors?: FieldError[];
  retryAfterSeconds?: number | undefined;
  cause?: unknown;
}

export class AppError extends Error {
  readonly code: ErrorCode;
  readonly errors: FieldError[] | undefined;
  readonly retryAfterSeconds: number | undefined;

  constructor(code: ErrorCode, detail: string, options: AppErrorOptions = {}) {
    super(detail, { cause: options.cause });
    this.name = 'AppError';
    this.code = code;
    this.errors = options.errors;
    this.retryAfterSeconds = options.retryAfterSeconds;
  }
}
