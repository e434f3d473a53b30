import { rename } from 'node:fs/promises';
import { join } from 'node:path';
import { findOnPath, isExecutable, serversCacheDir } from './find-binary.ts';
import { cachedPath, inStaging } from './install-binary.ts';
import { reasonOf, runProgram } from './run-program.ts';

interface Installable {
  readonly name: string;
  readonly version: string;
  /** How it is installed if it is missing, as shown to the user. */
  readonly how: string;
  /** Builds the executable below a folder, and returns its path. */
  readonly make: (staging: string) => Promise<string>;
}

interface FindOptions {
  readonly env: NodeJS.ProcessEnv;
  readonly progress: (line: string) => void;
}

const buildTimeoutMs = 60 * 60 * 1000;

/** Returns the path of a program: on PATH, in the cache, or installed now. Throws one sentence if that fails. */
export async function findOrInstall(
  { name, version, how, make }: Installable,
  { env, progress }: FindOptions,
): Promise<string> {
  const onPath = await findOnPath(name, env);
  if (onPath !== undefined) return onPath;
  const cacheDir = serversCacheDir(env);
  const target = cachedPath(cacheDir, name, version);
  if (await isExecutable(target)) return target;
  progress(`${name}: not on PATH; ${how}`);
  await inStaging(cacheDir, async (staging) => rename(await make(staging), target)).catch(
    (error: unknown) => {
      const message = `${name} is not on PATH and could not be installed (${how}): ${reasonOf(error)}`;
      throw new Error(message, { cause: error });
    },
  );
  return target;
}

/** Describes a program that Go builds from a package, such as `example.com/tool@v1.0.0`, as the executable `built`. */
export function builtWithGo(goPackage: string, built: string): Pick<Installable, 'how' | 'make'> {
  return {
    how: 'building it with Go, which takes minutes, once',
    async make(staging) {
      const env = { ...process.env, GOBIN: staging, CGO_ENABLED: '0' };
      const args = ['install', '-ldflags=-s -w', goPackage];
      await runProgram('go', args, { timeoutMs: buildTimeoutMs, env });
      return join(staging, built);
    },
  };
}
