import { chmod, mkdir, mkdtemp, readdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { installPinned, type Pip } from '../python/install-pinned.ts';
import { type BinaryRecipe, pinsOf } from './binary-recipes.ts';
import { reasonOf } from './run-program.ts';

const stagingPrefix = 'staging-';
const stagingAbandonedAfterMs = 60 * 60 * 1000;

interface InstallOptions {
  readonly cacheDir: string;
  readonly env: NodeJS.ProcessEnv;
  readonly pip: Pip;
  readonly progress: (line: string) => void;
  /** Throws if the file does not run. */
  readonly probe: (recipe: BinaryRecipe, path: string) => Promise<void>;
}

/** Returns the path. Throws one error that says what failed, and names the setting to use instead. */
export async function installBinary(
  recipe: BinaryRecipe,
  { cacheDir, env, pip, progress, probe }: InstallOptions,
): Promise<string> {
  const { name, version, path, product, setting } = recipe;
  const startedAt = performance.now();
  progress(`${name}: not on PATH; installing ${version} with pip`);
  const target = cachedPath(cacheDir, name, version);
  // A rename puts the executable in place atomically. Of two concurrent installs, the later replaces an equal file.
  const install = async (staging: string): Promise<void> => {
    await installPinned(pip, pinsOf(name), { target: staging, env });
    const executable = join(staging, path);
    await chmod(executable, 0o755);
    await probe(recipe, executable);
    await rename(executable, target);
  };
  await inStaging(cacheDir, install).catch((cause: unknown) => {
    const fault = `${name} is not on PATH and could not be installed: ${reasonOf(cause)}`;
    const help = `Install ${product}, or set ${setting} to the path of a ${name}.`;
    throw new Error(`${fault}. ${help}`, { cause });
  });
  progress(
    `${name}: ready in ${((performance.now() - startedAt) / 1000).toFixed(1)} s (${version})`,
  );
  return target;
}

/** Runs `install` in a cache folder, which is removed afterwards, or by a later install if this process is killed. */
export async function inStaging<Result>(
  cacheDir: string,
  install: (staging: string) => Promise<Result>,
): Promise<Result> {
  await mkdir(cacheDir, { recursive: true });
  await removeAbandonedStaging(cacheDir);
  const staging = await mkdtemp(join(cacheDir, stagingPrefix));
  try {
    return await install(staging);
  } finally {
    await rm(staging, { recursive: true, force: true });
  }
}

async function removeAbandonedStaging(cacheDir: string): Promise<void> {
  for (const entry of await readdir(cacheDir)) {
    if (!entry.startsWith(stagingPrefix)) continue;
    const path = join(cacheDir, entry);
    // Another install may remove its folder meanwhile.
    const modifiedMs = (await stat(path).catch(() => undefined))?.mtimeMs ?? Infinity;
    if (Date.now() - modifiedMs > stagingAbandonedAfterMs) {
      await rm(path, { recursive: true, force: true });
    }
  }
}

/** Returns the cache path of a program for this platform. Several machines may share a cache. */
export function cachedPath(cacheDir: string, name: string, version: string): string {
  return join(cacheDir, `${name}-${version}-${process.platform}-${process.arch}`);
}
