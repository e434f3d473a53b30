// The api or the worker as a real process that tests can stop and kill.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { join } from 'node:path';
import { testServers } from './servers.ts';

interface LogLine {
  msg: string;
  port?: number;
  [field: string]: unknown;
}

export interface RoleProcess extends AsyncDisposable {
  pid: number;
  /** The port of the api. 0 for the worker. */
  port: number;
  lines: readonly LogLine[];
  /** Returns everything written to both streams so far. */
  output(): string;
  /** Sends a signal and waits for the end. */
  end(signal: 'SIGTERM' | 'SIGKILL'): Promise<{ code: number | null; ms: number }>;
}

/** Starts a role and resolves once it is ready. Rejects with its log if it ends before that. */
export async function startRole(
  role: 'api' | 'worker',
  env: Record<string, string>,
): Promise<RoleProcess> {
  const main = join(testServers().build, role, 'main.js');
  const child = spawn(process.execPath, ['--enable-source-maps', main], {
    env: { ...process.env, HERALD_LOG_LEVEL: 'info', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk: Buffer) => (output += chunk.toString()));
  }
  child.stderr.pipe(process.stderr);
  const lines: LogLine[] = [];
  const exited = once(child, 'exit');
  const ready = new Promise<void>((resolve, reject) => {
    createInterface({ input: child.stdout }).on('line', (text) => {
      const line = JSON.parse(text) as LogLine;
      lines.push(line);
      if (line.msg === 'process.ready') resolve();
    });
    child.once('exit', () => reject(new Error(`${role} ended: ${JSON.stringify(lines.at(-1))}`)));
  });
  await ready;
  const isRunning = (): boolean => child.exitCode === null && child.signalCode === null;
  return {
    pid: child.pid ?? 0,
    port: lines.find((line) => line.msg === 'process.listening')?.port ?? 0,
    lines,
    output: () => output,
    async end(signal) {
      const startedAt = performance.now();
      child.kill(signal);
      const [code] = (await exited) as [number | null];
      return { code, ms: performance.now() - startedAt };
    },
    async [Symbol.asyncDispose]() {
      if (isRunning()) child.kill('SIGKILL');
      await exited;
    },
  };
}
