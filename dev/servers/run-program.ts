import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { errorCode, isRecord } from '../../lib/platform/error-code.ts';

const execFileAsync = promisify(execFile);
const outputBytesMax = 4 * 1024 * 1024;
const reasonCharsMax = 300;

interface ProgramOptions {
  readonly timeoutMs: number;
  readonly env?: NodeJS.ProcessEnv;
}

/** Runs `program` without a shell and returns its output. Throws an Error with a reason of one line. */
export async function runProgram(
  program: string,
  args: readonly string[],
  { timeoutMs, env = process.env }: ProgramOptions,
): Promise<string> {
  try {
    const { stdout, stderr } = await execFileAsync(program, args, {
      env,
      timeout: timeoutMs,
      killSignal: 'SIGKILL',
      maxBuffer: outputBytesMax,
    });
    return stdout + stderr;
  } catch (error) {
    throw new Error(failureReason(program, error, timeoutMs), { cause: error });
  }
}

const probeTimeoutMs = 15_000;

/** Checks whether a program exists and succeeds. */
export async function canRun([program = '', ...args]: readonly string[]): Promise<boolean> {
  return runProgram(program, args, { timeoutMs: probeTimeoutMs }).then(
    () => true,
    () => false,
  );
}

/** Returns the message of a thrown value, or that of its cause if that says more. */
export function reasonOf(error: unknown): string {
  // Not `instanceof`: Node's errors are of another realm in a vm context.
  if (!isRecord(error)) return String(error);
  const { message, cause, code, name } = error;
  if (message === 'fetch failed' && cause) return reasonOf(cause);
  return String(message || code || name);
}

function failureReason(program: string, error: unknown, timeoutMs: number): string {
  const code = errorCode(error);
  if (code === 'ENOENT') return `${program} is not installed`;
  const { killed, signal, stderr } = isRecord(error) ? error : {};
  if (killed === true) return `${program} took longer than ${timeoutMs / 1000} s`;
  const lastLine = typeof stderr === 'string' ? stderr.trim().split('\n').at(-1)?.trim() : '';
  if (lastLine) return lastLine.slice(0, reasonCharsMax);
  if (typeof code === 'string') return `${program} cannot be run (${code})`;
  return `${program} ended with ${typeof signal === 'string' ? signal : `code ${code}`}`;
}
