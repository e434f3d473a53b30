// An environment with what the tests of Python packages need, made once from PyPI.
import { createHash } from 'node:crypto';
import { access, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runProgram } from '../servers/run-program.ts';

const folder = fileURLToPath(new URL('../../.cache/packages/python', import.meta.url));
const installTimeoutMs = 10 * 60_000;

export const pythonOfTests = join(folder, 'bin', 'python');

/** Makes the environment anew when the package's requirements or Python have changed. */
export async function preparePython(packageFolder: string): Promise<void> {
  const requirements = join(packageFolder, 'requirements-dev.txt');
  const version = await runProgram('python3', ['-VV'], { timeoutMs: installTimeoutMs });
  const key = createHash('sha256')
    .update(version)
    .update(await readFile(requirements));
  const done = join(folder, `installed-${key.digest('hex').slice(0, 16)}`);
  if (await exists(done)) return;
  await runProgram('python3', ['-m', 'venv', '--clear', folder], { timeoutMs: installTimeoutMs });
  const options = [
    '--quiet',
    '--no-input',
    '--disable-pip-version-check',
    '--only-binary',
    ':all:',
  ];
  await runProgram(pythonOfTests, ['-m', 'pip', 'install', ...options, '-r', requirements], {
    timeoutMs: installTimeoutMs,
  });
  await writeFile(done, '');
}

async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
