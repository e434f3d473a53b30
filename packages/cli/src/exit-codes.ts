import {
  ConnectionFailedError,
  HeraldError,
  TimedOutError,
  UnexpectedResponseError,
} from '../../client-ts/src/index.ts';

export const exitCodes = {
  ok: 0,
  failed: 1,
  usage: 2,
  forbidden: 3,
  notFound: 4,
  unreachable: 5,
} as const;

/** An error that the user can act on. Only its message is shown. */
export class CommandError extends Error {
  override readonly name = 'CommandError';
  readonly exitCode: number;

  constructor(message: string, exitCode: number = exitCodes.failed) {
    super(message);
    this.exitCode = exitCode;
  }
}

/** Returns the exit code for an error, for scripts. */
export function exitCodeOf(error: unknown): number {
  if (error instanceof CommandError) return error.exitCode;
  if (!(error instanceof HeraldError)) return exitCodes.failed;
  if (error instanceof ConnectionFailedError || error instanceof TimedOutError)
    return exitCodes.unreachable;
  if (error instanceof UnexpectedResponseError || error.status === 503)
    return exitCodes.unreachable;
  if (error.status === 401 || error.status === 403) return exitCodes.forbidden;
  if (error.code === 'key_ended' || error.code === 'app_disabled') return exitCodes.forbidden;
  return error.status === 404 ? exitCodes.notFound : exitCodes.failed;
}
