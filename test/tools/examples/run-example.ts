// Examples for Node as a user starts them: copied, with the built files of the receiver.
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdir, mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';

const run = promisify(execFile);
const source = 'packages/receiver-ts';

export interface InstalledExample extends AsyncDisposable {
  folder: string;
}

/** Installs an example of `examples/` in a folder of its own, with packages of this repository. */
export async function installExample(
  name: string,
  packages: readonly string[],
): Promise<InstalledExample> {
  const folder = await mkdtemp(join(tmpdir(), `herald-${name}-`));
  await cp(`examples/${name}`, folder, { recursive: true });
  const modules = join(folder, 'node_modules');
  const receiver = join(modules, '@agent-herald', 'receiver');
  await mkdir(receiver, { recursive: true });
  for (const each of packages) await symlink(resolve('node_modules', each), join(modules, each));
  await cp(join(source, 'package.json'), join(receiver, 'package.json'));
  const compiler = resolve('node_modules/typescript/bin/tsc');
  const out = ['--outDir', join(receiver, 'dist')];
  await run(process.execPath, [compiler, '-p', join(source, 'tsconfig.json'), ...out]);
  return { folder, [Symbol.asyncDispose]: () => rm(folder, { recursive: true }) };
}

export interface RunningExample extends AsyncDisposable {
  lines: readonly string[];
  url: string;
}

/** Starts the example and waits until it listens. */
export async function startExample(
  { folder }: InstalledExample,
  env: Record<string, string>,
): Promise<RunningExample> {
  const child = spawn(process.execPath, ['server.mjs'], {
    cwd: folder,
    env: { ...process.env, ...env, PORT: '0' },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const closed = once(child, 'close');
  const lines: string[] = [];
  const reader = createInterface(child.stdout).on('line', (line) => lines.push(line));
  await Promise.race([once(reader, 'line'), closed]);
  return {
    lines,
    url: `http://127.0.0.1:${lines[0]?.replace('listening on ', '')}`,
    async [Symbol.asyncDispose]() {
      child.kill();
      await closed;
    },
  };
}
