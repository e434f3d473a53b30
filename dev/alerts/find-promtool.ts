// Finds Prometheus' tool: PATH, the project's cache, or Debian's package, unpacked without root.
import { readdir, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { findOnPath, isExecutable, serversCacheDir } from '../servers/find-binary.ts';
import { cachedPath, inStaging } from '../servers/install-binary.ts';
import { reasonOf, runProgram } from '../servers/run-program.ts';

const timeoutMs = 5 * 60_000;

/** Throws one sentence when it is neither there nor to be had. */
export async function findPromtool(progress: (line: string) => void): Promise<string> {
  const onPath = await findOnPath('promtool', process.env);
  if (onPath !== undefined) return onPath;
  const cacheDir = serversCacheDir(process.env);
  const target = cachedPath(cacheDir, 'promtool', 'debian');
  if (await isExecutable(target)) return target;
  progress("promtool: not on PATH; unpacking Debian's package prometheus");
  await inStaging(cacheDir, (staging) => unpackInto(staging, target)).catch((error: unknown) => {
    const message =
      `promtool is not on PATH, and Debian's package could not be unpacked: ` +
      `${reasonOf(error)}. Put Prometheus 2.42 or newer on PATH.`;
    throw new Error(message, { cause: error });
  });
  return target;
}

async function unpackInto(staging: string, target: string): Promise<void> {
  // apt-get downloads into the current folder.
  await runProgram('sh', ['-c', 'cd "$0" && apt-get download prometheus', staging], { timeoutMs });
  const [archive = ''] = await readdir(staging);
  await runProgram('dpkg', ['-x', join(staging, archive), staging], { timeoutMs });
  await rename(join(staging, 'usr', 'bin', 'promtool'), target);
}
