// Finds the executable of a server: a setting, PATH, the project's cache, or a fresh install.
import { constants } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { delimiter, isAbsolute, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type BinaryRecipe, recipeOf, type ServerName } from './binary-recipes.ts';
import type { Pip } from '../python/install-pinned.ts';
import { cachedPath, installBinary } from './install-binary.ts';
import { reasonOf, runProgram } from './run-program.ts';

const probeTimeoutMs = 15_000;

export interface FindBinaryOptions {
  readonly progress: (line: string) => void;
  readonly env?: NodeJS.ProcessEnv;
  readonly pip?: Pip;
}

/** Installs missing servers. Throws one error with a line for each server that could not be found. */
export async function findBinaries<Name extends ServerName>(
  names: readonly Name[],
  options: FindBinaryOptions,
): Promise<Record<Name, string>> {
  const paths = {} as Record<Name, string>;
  const outcomes = await Promise.allSettled(
    names.map(async (name) => {
      paths[name] = await findBinary(name, options);
    }),
  );
  const failures = outcomes.filter((outcome) => outcome.status === 'rejected');
  if (failures.length === 0) return paths;
  const reasons = failures.map((failure) => reasonOf(failure.reason));
  throw new Error(reasons.join('\n'), { cause: failures[0]?.reason });
}

export async function findBinary(name: ServerName, options: FindBinaryOptions): Promise<string> {
  const { progress, env = process.env, pip = ['python3', '-m', 'pip'] } = options;
  const recipe = recipeOf(name);
  const cacheDir = serversCacheDir(env);
  return (
    (await fromSetting(recipe, env)) ??
    (await findOnPath(name, env)) ??
    (await fromCache(recipe, cacheDir)) ??
    (await installBinary(recipe, { cacheDir, env, pip, progress, probe }))
  );
}

/** Returns the folder of the installed servers. */
export function serversCacheDir(env: NodeJS.ProcessEnv): string {
  const projectCache = fileURLToPath(new URL('../../.cache/servers', import.meta.url));
  return resolve(env['HERALD_SERVERS_CACHE'] || projectCache);
}

async function fromSetting(
  { name, setting }: BinaryRecipe,
  env: NodeJS.ProcessEnv,
): Promise<string | undefined> {
  const path = env[setting];
  if (!path) return undefined;
  if (await isExecutable(path)) return resolve(path);
  throw new Error(`${setting} is ${path}, which is not an executable file; set it to a ${name}`);
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

async function fromCache(recipe: BinaryRecipe, cacheDir: string): Promise<string | undefined> {
  const path = cachedPath(cacheDir, recipe.name, recipe.version);
  return (await isExecutable(path)) && (await runs(recipe, path)) ? path : undefined;
}

export async function isExecutable(path: string): Promise<boolean> {
  try {
    await access(path, constants.X_OK);
    return (await stat(path)).isFile();
  } catch {
    return false;
  }
}

async function runs(recipe: BinaryRecipe, path: string): Promise<boolean> {
  try {
    await probe(recipe, path);
    return true;
  } catch {
    // A new install replaces it and reports its own errors.
    return false;
  }
}

async function probe(recipe: BinaryRecipe, path: string): Promise<void> {
  const printed = await runProgram(path, recipe.probeArgs, { timeoutMs: probeTimeoutMs });
  // An empty file is a valid shell script, so it would succeed.
  if (printed === '') throw new Error(`${path} prints nothing`);
}
