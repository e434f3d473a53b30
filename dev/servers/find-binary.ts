// Finds the executable of a server: a setting, PATH, the project's cache, or a fresh install of its wheel.
import { join, resolve } from 'node:path';
import { installPinned, type Pip } from '../python/install-pinned.ts';
import { type BinaryRecipe, pinsOf, recipeOf, type ServerName } from './binary-recipes.ts';
import { findOrInstall, isExecutable } from './find-or-install.ts';
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
  const { setting, version, product, path } = recipe;
  const configured = env[setting];
  if (configured) {
    if (await isExecutable(configured)) return resolve(configured);
    const fault = `${setting} is ${configured}, which is not an executable file`;
    throw new Error(`${fault}; set it to a ${name}`);
  }
  const program = {
    name,
    version,
    how: `installing ${version} with pip`,
    help: `Install ${product}, or set ${setting} to the path of a ${name}.`,
    async make(staging: string) {
      await installPinned(pip, pinsOf(name), { target: staging, env });
      return join(staging, path);
    },
    probe: (installed: string) => probe(recipe, installed),
  };
  return findOrInstall(program, { env, progress });
}

async function probe({ probeArgs }: BinaryRecipe, path: string): Promise<void> {
  const printed = await runProgram(path, probeArgs, { timeoutMs: probeTimeoutMs });
  // An empty file is a valid shell script, so it would succeed.
  if (printed === '') throw new Error(`${path} prints nothing`);
}
