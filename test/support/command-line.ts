// The command line as a child process, run from the packed file.
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { waitFor } from './wait-for.ts';

const run = promisify(execFile);

export interface Outcome {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Running extends AsyncDisposable {
  readonly stdout: readonly string[];
  readonly stderr: readonly string[];
  /** Sends Ctrl-C and returns the exit code. */
  stop(): Promise<number | null>;
}

export interface CommandLine extends AsyncDisposable {
  readonly folder: string;
  readonly file: string;
  /** Runs a command to its end. `input` is its standard input. */
  run(args: readonly string[], options?: { env?: object; input?: string }): Promise<Outcome>;
  /** Starts an endless command, and waits for `awaited` on standard error. */
  start(args: readonly string[], awaited: string, env?: object): Promise<Running>;
}

/** Builds the command line in its own folder, with an empty settings folder. */
export async function buildCommandLine(settings: Record<string, string>): Promise<CommandLine> {
  const folder = await mkdtemp(join(tmpdir(), 'command-line-'));
  const file = join(folder, 'agent-herald.mjs');
  await run(process.execPath, ['packages/cli/build.mjs', file]);
  const common = { PATH: process.env['PATH'] ?? '', XDG_CONFIG_HOME: folder, ...settings };
  return {
    folder,
    file,
    run: async (args, { env = {}, input = '' } = {}) => {
      const child = spawn(process.execPath, [file, ...args], { env: { ...common, ...env } });
      const texts = { stdout: '', stderr: '' };
      for (const name of ['stdout', 'stderr'] as const)
        child[name].setEncoding('utf8').on('data', (text: string) => (texts[name] += text));
      child.stdin.end(input);
      const [code] = (await once(child, 'close')) as [number];
      return { code, ...texts };
    },
    start: async (args, awaited, env = {}) => {
      const child = spawn(process.execPath, [file, ...args], { env: { ...common, ...env } });
      const lines = { stdout: [] as string[], stderr: [] as string[] };
      for (const name of ['stdout', 'stderr'] as const)
        createInterface({ input: child[name] }).on('line', (line) => lines[name].push(line));
      const closed = once(child, 'close');
      const stop = async () => {
        child.kill('SIGINT');
        const [code] = (await closed) as [number | null];
        return code;
      };
      const isThere = () => lines.stderr.some((line) => line.includes(awaited));
      await waitFor(isThere, { what: awaited, state: () => lines.stderr.join('\n') });
      return { ...lines, stop, [Symbol.asyncDispose]: async () => void (await stop()) };
    },
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true }),
  };
}
