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
  | 'challenge_failed'
  | 'idempotency_key_reused'
  | 'rate_limited'
  | 'too_many_sign_ins'
  | 'headers_too_large'
  | 'internal'
  | 'overloaded'
  | 'unavailable';

/** The fault of one field (docs/api.md, "Errors"). */
export const faultCodes = [
  // JSON Schema keywords.
  'required',
  'additionalProperties',
  'type',
  'enum',
  'format',
  'minLength',
  'maxLength',
  'minItems',
  'maxItems',
  'uniqueItems',
  'minProperties',
  'maxProperties',
  'minimum',
  'maximum',
  // Other codes of `invalid_request`.
  'exactlyOne',
  'time',
  'range',
  'unknown',
  'repeated',
  'length',
  'duration',
  'wait_too_short',
  'schedule_too_long',
  'not_in_entities',
  'not_of_kind',
  'without_resume',
  'filter',
  'header_name',
  'header_value',
  'reserved',
  'too_large',
  'not_of_type',
  'not_together',
  'weak_secret',
  'colon',
  'pem',
  'encrypted',
  'kind',
  'mismatch',
  'chain',
  'expired',
  'unusable',
  'needs_http',
  'needs_https',
  'other_url',
  // Codes of other problems.
  'list',
  'stream',
  'unknown_account',
  'unknown_webhook',
  'unknown_admin',
  'invalid_webhook_url',
  'password_wrong',
  'password_length',
  'password_too_uniform',
  'password_is_email',
  'password_common',
  'depth',
  'key',
  'nul',
  'unicode',
  'number',
] as const;
export type FaultCode = (typeof faultCodes)[number];

export interface FieldError {
  /** A JSON pointer into the body, or the name of a parameter. */
  pointer: string;
  code: FaultCode;
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
