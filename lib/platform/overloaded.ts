// The error of too much to do.
import { AppError } from './errors.ts';

const retryAfterSecondsMin = 2;
const retryAfterSecondsSpread = 4;

/** Makes the error of too much to do. The waits are spread, so that the refused do not return together. */
export function overloaded(detail: string): AppError {
  const spreadSeconds = Math.floor(Math.random() * retryAfterSecondsSpread);
  const retryAfterSeconds = retryAfterSecondsMin + spreadSeconds;
  return new AppError('overloaded', `${detail}; try again`, { retryAfterSeconds });
}
