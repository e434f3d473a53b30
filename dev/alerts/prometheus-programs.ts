// Finds Prometheus and its tool: PATH, the project's cache, or Debian's package, unpacked without root.
import { mkdir, readdir, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { findOnPath, isExecutable, serversCacheDir } from '../servers/find-binary.ts';
import { cachedPath, inStaging } from '../servers/install-binary.ts';
import { reasonOf, runProgram } from '../servers/run-program.ts';

interface PrometheusPrograms {
  prometheus: string;
  promtool: string;
}

const timeoutMs = 5 * 60_000;

/** Throws one sentence when they are neither there nor to be had. */
export async function findPrometheus(
  progress: (line: string) => void,
): Promise<PrometheusPrograms> {
  const onPath = await findOnPath('promtool', process.env);
  const cacheDir = serversCacheDir(process.env);
  const target = cachedPath(cacheDir, 'prometheus', 'debian');
  for (const folder of [...(onPath === undefined ? [] : [dirname(onPath)]), target]) {
    const programs = programsIn(folder);
    const found = await Promise.all(Object.values(programs).map(isExecutable));
    if (found.every(Boolean)) return programs;
  }
  progress("prometheus: not on PATH; unpacking Debian's package");
  await unpackPackage(cacheDir, target).catch((error: unknown) => {
    const message =
      `prometheus and promtool are not on PATH, and Debian's package could not be unpacked: ` +
      `${reasonOf(error)}. Put Prometheus 2.42 or newer on PATH.`;
    throw new Error(message, { cause: error });
  });
  return programsIn(target);
}

function programsIn(folder: string): PrometheusPrograms {
  return { prometheus: join(folder, 'prometheus'), promtool: join(folder, 'promtool') };
}

async function unpackPackage(cacheDir: string, target: string): Promise<void> {
  await inStaging(cacheDir, async (staging) => {
    // apt-get downloads into the current folder.
    const download = 'cd "$0" && apt-get download prometheus';
    await runProgram('sh', ['-c', download, staging], { timeoutMs });
    const [archive = ''] = await readdir(staging);
    const tree = join(staging, 'tree');
    await mkdir(tree);
    await runProgram('dpkg', ['-x', join(staging, archive), tree], { timeoutMs });
    // A folder is renamed only to where none is.
    await rm(target, { recursive: true, force: true });
    await rename(join(tree, 'usr', 'bin'), target);
  });
}
