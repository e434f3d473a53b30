/** What is wrong with one field of a request. */
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

/** What every call throws, but for the reason of an aborted signal. */
export class HeraldError extends Error {
  override readonly name: string = 'HeraldError';
  readonly code: string;
  readonly detail: string;
  /** The HTTP status, null if there was no response. */
  readonly status: number | null;
  /** Names the call in the log of the service. */
  readonly requestId: string;
  readonly errors: readonly FieldError[];
  /** How long the service asked to wait. */
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

/** A problem that the service responded with; each known code has its own class. */
export class HeraldProblem extends HeraldError {
  override readonly name: string = 'HeraldProblem';
  declare readonly status: number;
}

/** There was no response, or an incomplete one. */
export class ConnectionFailedError extends HeraldError {
  override readonly name = 'ConnectionFailedError';
  declare readonly code: 'connection_failed';
}

/** The call took longer than its `timeoutMs`. */
export class TimedOutError extends HeraldError {
  override readonly name = 'TimedOutError';
  declare readonly code: 'timed_out';
}

/** The response is not from this service but, for example, from a proxy. */
export class UnexpectedResponseError extends HeraldError {
  override readonly name = 'UnexpectedResponseError';
  declare readonly code: 'unexpected_response';
  declare readonly status: number;
}
