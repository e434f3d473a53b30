import type { Context, Middleware } from 'koa';
import { AppError, type FieldError } from '../../lib/platform/errors.ts';
import { CallTimeoutError } from '../../lib/concurrency/with-timeout.ts';
import { causeOfBulkError } from '../../lib/mongo/write-errors.ts';
import { isDatabaseUnavailable } from '../../lib/mongo/database-unavailable.ts';
import { headersOf, presentProblem, problemType, statusOfCode } from './problems.ts';

/** Responds to every error, and to every unhandled path, with application/problem+json (RFC 9457). */
export const renderErrors: Middleware = async (ctx, next) => {
  try {
    await next();
    if (ctx.status >= 400 && ctx.body === undefined) throw unanswered(ctx);
  } catch (error) {
    renderProblem(ctx, toAppError(error));
  }
};

function unanswered(ctx: Context): AppError {
  // The router sets 405 (501 for an unknown method) and `Allow` on a known path.
  if (ctx.status === 405 || ctx.status === 501) {
    return new AppError('method_not_allowed', `this path accepts ${ctx.response.get('allow')}`);
  }
  return new AppError('not_found', 'there is nothing at this path');
}

function toAppError(error: unknown): AppError {
  if (error instanceof AppError) return error;
  const cause = causeOfBulkError(error);
  if (cause instanceof CallTimeoutError || isDatabaseUnavailable(cause)) {
    const detail = 'the database is unavailable; try again in a few seconds';
    return new AppError('unavailable', detail, { cause, retryAfterSeconds: 2 });
  }
  return new AppError('internal', 'an unexpected fault', { cause });
}

function renderProblem(ctx: Context, error: AppError): void {
  const requestId = String(ctx.state['requestId']);
  ctx.state['errorCode'] = error.code;
  ctx.state['fault'] = loggedFault(error);
  const status = statusOfCode(error.code);
  if (status >= 500) ctx.state['error'] = error.cause ?? error;
  ctx.status = status;
  ctx.set(headersOf(error));
  ctx.body = JSON.stringify(presentProblem(error, requestId));
  ctx.set('content-type', problemType);
}

/** Returns the first error for the log, without text that the caller wrote, which may be a secret. */
function loggedFault({ code, errors }: AppError): Pick<FieldError, 'code' | 'pointer'> | undefined {
  const [first] = errors ?? [];
  if (first === undefined) return undefined;
  // Keys that no schema has checked can be anything.
  const pointer = code === 'malformed_json' ? '#' : withoutUnknownName(first);
  return { code: first.code, pointer };
}

// Objects whose keys the caller chooses.
const freeKeys = /^#\/(?:metadata|headers|filter)(?=\/)/;

function withoutUnknownName({ code, pointer }: FieldError): string {
  if (code === 'unknown') return '?';
  const free = freeKeys.exec(pointer)?.[0];
  if (free !== undefined) return free;
  return code === 'additionalProperties' ? pointer.slice(0, pointer.lastIndexOf('/')) : pointer;
}
