// Environments with Python packages, each created once from PyPI.
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runProgram } from '../servers/run-program.ts';
import { installPinned } from './install-pinned.ts';

const cache = fileURLToPath(new URL('../../.cache/python', import.meta.url));
const creationTimeoutMs = 10 * 60_000;

/** A command that ends with 0 if environments can be created. */
export const pythonProbe = [
  'python3',
  '-c',
  'import sys, ensurepip, venv; sys.exit(sys.version_info < (3, 10))',
] as const;
export const pythonNeeds = 'python3 (3.10 or newer, with venv)';

/** Returns the path of an executable in an environment. */
export function programOf(environment: string, program: string): string {
  return join(cache, environment, 'bin', program);
}

/** Creates an environment, again if its requirements file or Python has changed. */
export async function prepareEnvironment(name: string, requirements: string): Promise<void> {
  const folder = join(cache, name);
  const version = await runProgram('python3', ['-VV'], { timeoutMs: creationTimeoutMs });
  const key = createHash('sha256')
    .update(version)
    .update(await readFile(requirements));
  const done = join(folder, `installed-${key.digest('hex').slice(0, 16)}`);
  if (existsSync(done)) return;
  await runProgram('python3', ['-m', 'venv', '--clear', folder], { timeoutMs: creationTimeoutMs });
  await installPinned([programOf(name, 'python'), '-m', 'pip'], requirements);
  await writeFile(done, '');
}
