// Written by `npm run generate` from docs/openapi.json.
import { HeraldProblem } from '../errors.ts';

/** The application is disabled. */
export class AppDisabledError extends HeraldProblem {
  override readonly name = 'AppDisabledError';
  declare readonly code: 'app_disabled';
}

/** The receiver did not answer the challenge. */
export class ChallengeFailedError extends HeraldProblem {
  override readonly name = 'ChallengeFailedError';
  declare readonly code: 'challenge_failed';
}

/** The request conflicts with the current state. */
export class ConflictError extends HeraldProblem {
  override readonly name = 'ConflictError';
  declare readonly code: 'conflict';
}

/** More than one credential was sent. */
export class CredentialsConflictError extends HeraldProblem {
  override readonly name = 'CredentialsConflictError';
  declare readonly code: 'credentials_conflict';
}

/** The request came from another site. */
export class CrossSiteRequestError extends HeraldProblem {
  override readonly name = 'CrossSiteRequestError';
  declare readonly code: 'cross_site_request';
}

/** The expectation cannot be met. */
export class ExpectationFailedError extends HeraldProblem {
  override readonly name = 'ExpectationFailedError';
  declare readonly code: 'expectation_failed';
}

/** The request headers are too large. */
export class HeadersTooLargeError extends HeraldProblem {
  override readonly name = 'HeadersTooLargeError';
  declare readonly code: 'headers_too_large';
}

/** The idempotency key was used with another body. */
export class IdempotencyKeyReusedError extends HeraldProblem {
  override readonly name = 'IdempotencyKeyReusedError';
  declare readonly code: 'idempotency_key_reused';
}

/** The admin lacks the role for this call. */
export class InsufficientRoleError extends HeraldProblem {
  override readonly name = 'InsufficientRoleError';
  declare readonly code: 'insufficient_role';
}

/** The API key lacks the scope for this call. */
export class InsufficientScopeError extends HeraldProblem {
  override readonly name = 'InsufficientScopeError';
  declare readonly code: 'insufficient_scope';
}

/** Something went wrong on our side. */
export class InternalError extends HeraldProblem {
  override readonly name = 'InternalError';
  declare readonly code: 'internal';
}

/** The cursor does not belong to this list. */
export class InvalidCursorError extends HeraldProblem {
  override readonly name = 'InvalidCursorError';
  declare readonly code: 'invalid_cursor';
}

/** The request does not match its schema. */
export class InvalidRequestError extends HeraldProblem {
  override readonly name = 'InvalidRequestError';
  declare readonly code: 'invalid_request';
}

/** The webhook URL cannot be used. */
export class InvalidWebhookUrlError extends HeraldProblem {
  override readonly name = 'InvalidWebhookUrlError';
  declare readonly code: 'invalid_webhook_url';
}

/** A limit has been reached. */
export class LimitReachedError extends HeraldProblem {
  override readonly name = 'LimitReachedError';
  declare readonly code: 'limit_reached';
}

/** The body is not acceptable JSON. */
export class MalformedJsonError extends HeraldProblem {
  override readonly name = 'MalformedJsonError';
  declare readonly code: 'malformed_json';
}

/** The request is malformed. */
export class MalformedRequestError extends HeraldProblem {
  override readonly name = 'MalformedRequestError';
  declare readonly code: 'malformed_request';
}

/** The resource was not found. */
export class NotFoundError extends HeraldProblem {
  override readonly name = 'NotFoundError';
  declare readonly code: 'not_found';
}

/** No admin is signed in. */
export class NotSignedInError extends HeraldProblem {
  override readonly name = 'NotSignedInError';
  declare readonly code: 'not_signed_in';
}

/** The service is overloaded. */
export class OverloadedError extends HeraldProblem {
  override readonly name = 'OverloadedError';
  declare readonly code: 'overloaded';
}

/** The password cannot be used. */
export class PasswordRefusedError extends HeraldProblem {
  override readonly name = 'PasswordRefusedError';
  declare readonly code: 'password_refused';
}

/** The body is too large. */
export class PayloadTooLargeError extends HeraldProblem {
  override readonly name = 'PayloadTooLargeError';
  declare readonly code: 'payload_too_large';
}

/** Too many requests. */
export class RateLimitedError extends HeraldProblem {
  override readonly name = 'RateLimitedError';
  declare readonly code: 'rate_limited';
}

/** The request took too long to arrive. */
export class RequestTimeoutError extends HeraldProblem {
  override readonly name = 'RequestTimeoutError';
  declare readonly code: 'request_timeout';
}

/** The email or the password is wrong. */
export class SignInRefusedError extends HeraldProblem {
  override readonly name = 'SignInRefusedError';
  declare readonly code: 'sign_in_refused';
}

/** Too many failed sign-ins. */
export class TooManySignInsError extends HeraldProblem {
  override readonly name = 'TooManySignInsError';
  declare readonly code: 'too_many_sign_ins';
}

/** No valid API key was sent. */
export class UnauthenticatedError extends HeraldProblem {
  override readonly name = 'UnauthenticatedError';
  declare readonly code: 'unauthenticated';
}

/** The service is unavailable. */
export class UnavailableError extends HeraldProblem {
  override readonly name = 'UnavailableError';
  declare readonly code: 'unavailable';
}

/** Some accounts do not exist in this application. */
export class UnknownAccountUidsError extends HeraldProblem {
  override readonly name = 'UnknownAccountUidsError';
  declare readonly code: 'unknown_account_uids';
}

/** No admin has this email. */
export class UnknownAdminError extends HeraldProblem {
  override readonly name = 'UnknownAdminError';
  declare readonly code: 'unknown_admin';
}

/** Some webhooks do not exist in this application. */
export class UnknownWebhookUidsError extends HeraldProblem {
  override readonly name = 'UnknownWebhookUidsError';
  declare readonly code: 'unknown_webhook_uids';
}

/** The content type is not supported. */
export class UnsupportedMediaTypeError extends HeraldProblem {
  override readonly name = 'UnsupportedMediaTypeError';
  declare readonly code: 'unsupported_media_type';
}

/** The class of each problem, by its code. */
export const problemClasses = {
  app_disabled: AppDisabledError,
  challenge_failed: ChallengeFailedError,
  conflict: ConflictError,
  credentials_conflict: CredentialsConflictError,
  cross_site_request: CrossSiteRequestError,
  expectation_failed: ExpectationFailedError,
  headers_too_large: HeadersTooLargeError,
  idempotency_key_reused: IdempotencyKeyReusedError,
  insufficient_role: InsufficientRoleError,
  insufficient_scope: InsufficientScopeError,
  internal: InternalError,
  invalid_cursor: InvalidCursorError,
  invalid_request: InvalidRequestError,
  invalid_webhook_url: InvalidWebhookUrlError,
  limit_reached: LimitReachedError,
  malformed_json: MalformedJsonError,
  malformed_request: MalformedRequestError,
  not_found: NotFoundError,
  not_signed_in: NotSignedInError,
  overloaded: OverloadedError,
  password_refused: PasswordRefusedError,
  payload_too_large: PayloadTooLargeError,
  rate_limited: RateLimitedError,
  request_timeout: RequestTimeoutError,
  sign_in_refused: SignInRefusedError,
  too_many_sign_ins: TooManySignInsError,
  unauthenticated: UnauthenticatedError,
  unavailable: UnavailableError,
  unknown_account_uids: UnknownAccountUidsError,
  unknown_admin: UnknownAdminError,
  unknown_webhook_uids: UnknownWebhookUidsError,
  unsupported_media_type: UnsupportedMediaTypeError,
} as const;

export type ProblemCode = keyof typeof problemClasses;
