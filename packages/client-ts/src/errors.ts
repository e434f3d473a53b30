/** An error in one field of a request. */
export interface FieldError {
  /** A JSON pointer into the body, or the name of a parameter. */
  pointer: string;
  code: string;
  detail: string;
}

export interface ErrorFacts {
  readonly code: string;
  readonly detail: string;
  readonly status?: number | null;
  readonly requestId: string;
  readonly errors?: readonly FieldError[];
  readonly retryAfterMs?: number | null;
  readonly cause?: unknown;
}

/** Base class of all errors that calls throw. An aborted signal throws its own reason instead. */
export class HeraldError extends Error {
  override readonly name: string = 'HeraldError';
  readonly code: string;
  readonly detail: string;
  /** The HTTP status. Null if there was no response. */
  readonly status: number | null;
  /** The ID of the call in the log of the service. */
  readonly requestId: string;
  readonly errors: readonly FieldError[];
  /** How long the service asked callers to wait, in milliseconds. Null if it did not. */
  readonly retryAfterMs: number | null;

  constructor(facts: ErrorFacts) {
    const { code, detail, status = null, requestId, errors = [], retryAfterMs = null } = facts;
    super(`${detail} (${code}, request ${requestId})`, { cause: facts.cause });
    this.code = code;
    this.detail = detail;
    this.status = status;
    this.requestId = requestId;
    this.errors = errors;
    this.retryAfterMs = retryAfterMs;
  }
}

/** A problem response of the service (RFC 9457). Each code that this release knows has its own subclass. */
export class HeraldProblem extends HeraldError {
  override readonly name: string = 'HeraldProblem';
  declare readonly status: number;
}

/** There was no response, or it was incomplete. */
export class ConnectionFailedError extends HeraldError {
  override readonly name = 'ConnectionFailedError';
  declare readonly code: 'connection_failed';
}

/** The call took longer than its `timeoutMs`. */
export class TimedOutError extends HeraldError {
  override readonly name = 'TimedOutError';
  declare readonly code: 'timed_out';
}

/** The response did not come from the service. A proxy may have sent it. */
export class UnexpectedResponseError extends HeraldError {
  override readonly name = 'UnexpectedResponseError';
  declare readonly code: 'unexpected_response';
  declare readonly status: number;
}
