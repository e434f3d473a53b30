// Finds a program: on PATH, in the project's cache, or by a fresh install.
import { constants } from 'node:fs';
import { access, chmod, mkdir, mkdtemp, rename, rm, stat } from 'node:fs/promises';
import { delimiter, isAbsolute, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { reasonOf, runProgram } from './run-program.ts';
import { removeAbandoned } from './temporary-folder.ts';

interface Installable {
  readonly name: string;
  readonly version: string;
  /** How it is installed if it is missing, as shown to the user. */
  readonly how: string;
  /** What the user can do if that fails, in one sentence. */
  readonly help: string;
  /** Builds the executable below a folder, and returns its path. */
  readonly make: (staging: string) => Promise<string>;
  /** Throws if an installed file does not run. */
  readonly probe?: (path: string) => Promise<void>;
}

interface FindOptions {
  readonly env: NodeJS.ProcessEnv;
  readonly progress: (line: string) => void;
}

const stagingPrefix = 'staging-';
const buildTimeoutMs = 60 * 60 * 1000;
const downloadTimeoutMs = 15 * 60_000;

/** Returns the path of a program. Throws one error that says what failed, and what helps. */
export async function findOrInstall(
  program: Installable,
  { env, progress }: FindOptions,
): Promise<string> {
  const { name, version, how, help, make, probe } = program;
  const onPath = await findOnPath(name, env);
  if (onPath !== undefined) return onPath;
  const projectCache = fileURLToPath(new URL('../../.cache/servers', import.meta.url));
  const cacheDir = resolve(env['HERALD_SERVERS_CACHE'] || projectCache);
  // Several machines may share a cache.
  const target = join(cacheDir, `${name}-${version}-${process.platform}-${process.arch}`);
  if (await isSound(target, probe)) return target;
  const startedAt = performance.now();
  progress(`${name}: not on PATH; ${how}`);
  // A rename puts the executable in place atomically. Of two concurrent installs, the later replaces an equal file.
  const install = async (staging: string): Promise<void> => {
    const made = await make(staging);
    await chmod(made, 0o755);
    await probe?.(made);
    await rename(made, target);
  };
  await inStaging(cacheDir, install).catch((cause: unknown) => {
    const fault = `${name} is not on PATH and could not be installed: ${reasonOf(cause)}`;
    throw new Error(`${fault}. ${help}`, { cause });
  });
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
  progress(`${name}: ready in ${seconds} s (${version})`);
  return target;
}

/** Describes a program that Go builds from a package, such as `example.com/tool@v1.0.0`, as the executable `built`. */
export function builtWithGo(goPackage: string, built: string) {
  return {
    how: 'building it with Go, which takes minutes, once',
    help: `Go builds ${goPackage}.`,
    async make(staging: string): Promise<string> {
      const env = { ...process.env, GOBIN: staging, CGO_ENABLED: '0' };
      const args = ['install', '-ldflags=-s -w', goPackage];
      await runProgram('go', args, { timeoutMs: buildTimeoutMs, env });
      return join(staging, built);
    },
  };
}

/** Downloads the source of a Go module, such as `example.com/tool@v1.0.0`, and returns its folder. */
export async function goModule(requirement: string): Promise<string> {
  const args = ['mod', 'download', '-json', requirement];
  const printed = await runProgram('go', args, { timeoutMs: downloadTimeoutMs });
  const { Dir } = JSON.parse(printed.slice(printed.indexOf('{'))) as { Dir: string };
  return Dir;
}

export async function findOnPath(
  name: string,
  env: NodeJS.ProcessEnv,
): Promise<string | undefined> {
  for (const folder of (env['PATH'] ?? '').split(delimiter)) {
    // A relative entry would depend on the current folder.
    if (!isAbsolute(folder)) continue;
    const path = join(folder, name);
    if (await isExecutable(path)) return path;
  }
  return undefined;
}

export async function isExecutable(path: string): Promise<boolean> {
  try {
    await access(path, constants.X_OK);
    return (await stat(path)).isFile();
  } catch {
    return false;
  }
}

async function isSound(path: string, probe: Installable['probe']): Promise<boolean> {
  if (!(await isExecutable(path))) return false;
  try {
    await probe?.(path);
    return true;
  } catch {
    // A new install replaces it and reports its own errors.
    return false;
  }
}

/** Runs `install` in a cache folder, which is removed afterwards, or by a later install if this process is killed. */
async function inStaging(
  cacheDir: string,
  install: (staging: string) => Promise<void>,
): Promise<void> {
  await mkdir(cacheDir, { recursive: true });
  await removeAbandoned(cacheDir, (entry) => entry.startsWith(stagingPrefix));
  const staging = await mkdtemp(join(cacheDir, stagingPrefix));
  try {
    await install(staging);
  } finally {
    await rm(staging, { recursive: true, force: true });
  }
}
