/**
 * `refused`: your back end gives this visitor no token (401 or 403), so sign in again. `unavailable`: it could not be
 * reached in time, or failed. `invalid`: it sent something else than a token. `closed`: the source was closed.
 */
export type TokenErrorReason = 'refused' | 'unavailable' | 'invalid' | 'closed';

/** Says why there is no token. Its `cause` is the last response or error, if there was one. */
export class TokenError extends Error {
  override readonly name = 'TokenError';
  readonly reason: TokenErrorReason;

  constructor(reason: TokenErrorReason, cause?: unknown) {
    super(`no token: ${reason}`, { cause });
    this.reason = reason;
  }
}
