import { AppError } from './errors.ts';

const retryAfterSecondsMin = 2;
const retryAfterSecondsSpread = 4;

/** Creates an `overloaded` error. The waits are random, so that refused callers do not return together. */
export function overloaded(detail: string): AppError {
  const spreadSeconds = Math.floor(Math.random() * retryAfterSecondsSpread);
  const retryAfterSeconds = retryAfterSecondsMin + spreadSeconds;
  return new AppError('overloaded', `${detail}; try again`, { retryAfterSeconds });
}
