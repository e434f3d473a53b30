import { basename } from 'node:path';
import { isRecord } from '../../lib/platform/error-code.ts';
import { runProgram } from '../servers/run-program.ts';

const installTimeoutMs = 10 * 60_000;

/** The command of a pip, such as `python3 -m pip`. */
export type Pip = readonly [string, ...string[]];

interface InstallOptions {
  readonly env?: NodeJS.ProcessEnv;
  /** Default: the environment of pip's Python. */
  readonly target?: string;
}

/**
 * Installs the wheels of a requirements file, which pins each by SHA-256 (CONTRIBUTING.md, "Pinned downloads"). Throws
 * one sentence, also if a downloaded file is not a pinned one.
 */
export async function installPinned(
  [program, ...args]: Pip,
  requirements: string,
  { env = process.env, target }: InstallOptions = {},
): Promise<void> {
  const quiet = ['--quiet', '--no-input', '--disable-pip-version-check'];
  const into = target === undefined ? [] : ['--target', target];
  const pinned = ['--require-hashes', '--only-binary', ':all:', ...into, '-r', requirements];
  const install = [...args, 'install', ...quiet, ...pinned];
  await runProgram(program, install, { timeoutMs: installTimeoutMs, env }).catch(
    (error: unknown) => {
      if (!differs(error)) throw error;
      const name = basename(requirements);
      const refusal = `a downloaded file has another SHA-256 than ${name} pins, so it was not installed`;
      throw new Error(refusal, { cause: error });
    },
  );
}

function differs(error: unknown): boolean {
  const { cause } = error instanceof Error ? error : {};
  return isRecord(cause) && String(cause['stderr']).includes('DO NOT MATCH THE HASHES');
}
