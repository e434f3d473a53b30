// Runs a server that cannot outlive the process that started it, however that process ends.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, open, readFile, rename } from 'node:fs/promises';
import { dirname } from 'node:path';

const stopGraceMs = 10_000;
const logTailLines = 6;
const logLineCharsMax = 400;

// The shell starts a watcher and then becomes the server, so the child's process ID is the server's. The watcher reads
// a pipe that closes when the parent ends, and then ends the server, by force after 10 s. A zombie, as in a container
// without an init, counts as gone.
const guardScript = [
  'exec 3<&0',
  '( read -r _ <&3',
  'kill -TERM $$ 2>/dev/null || exit 0',
  'n=50; while [ $n -gt 0 ]; do n=$((n - 1))',
  'sleep 0.2 2>/dev/null || sleep 1',
  'kill -0 $$ 2>/dev/null || exit 0',
  'grep -q "^State:.Z" /proc/$$/status 2>/dev/null && exit 0',
  'done',
  'kill -KILL $$ ) >/dev/null 2>&1 &',
  'exec "$@" 3<&- </dev/null',
].join('\n');

export interface ProcessExit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

export interface GuardedProcess {
  readonly name: string;
  readonly pid: number;
  readonly logFile: string;
  readonly exited: Promise<ProcessExit>;
  /** Returns undefined while the server runs. */
  exit(): ProcessExit | undefined;
  /** Ends the server, by force after 10 s, and resolves once it is gone. */
  stop(): Promise<void>;
  /** Kills the server, which loses unwritten data. */
  kill(): Promise<void>;
}

interface GuardedProcessOptions extends Pick<GuardedProcess, 'name' | 'logFile'> {
  readonly binary: string;
  readonly args: readonly string[];
  /** The default is the environment of this process. */
  readonly env?: NodeJS.ProcessEnv | undefined;
}

/**
 * Starts a server in its own process group, so that Ctrl-C reaches its clients first, and keeps the log of the previous
 * run. Throws if no process can be started. A broken binary shows as an early exit.
 */
export async function startGuarded(options: GuardedProcessOptions): Promise<GuardedProcess> {
  const { name, binary, args, logFile, env } = options;
  const log = await openFreshLog(logFile);
  const child = spawn('/bin/sh', ['-c', guardScript, 'sh', binary, ...args], {
    env,
    detached: true,
    stdio: ['pipe', log.fd, log.fd],
  });
  const exited = exitOf(child);
  try {
    await once(child, 'spawn');
  } finally {
    await log.close();
  }
  const { pid } = child;
  if (pid === undefined) throw new Error(`no process could be made for ${name}`);
  // If the server ends first, closing its pipe may fail.
  child.stdin?.on('error', () => undefined);
  let stopped: Promise<void> | undefined;
  return {
    name,
    pid,
    logFile,
    exited,
    exit: () => exitSoFar(child),
    stop: () => (stopped ??= stop(child, exited)),
    kill: async () => {
      child.kill('SIGKILL');
      await exited;
    },
  };
}

export async function logTail(logFile: string): Promise<string> {
  const lines = (await readFile(logFile, 'utf8')).trimEnd().split('\n');
  const tail = lines.slice(-logTailLines).map((line) => line.slice(0, logLineCharsMax));
  return tail.join('\n');
}

async function openFreshLog(logFile: string) {
  await mkdir(dirname(logFile), { recursive: true });
  // There is none at the first start.
  await rename(logFile, `${logFile}.previous`).catch(() => undefined);
  return open(logFile, 'a');
}

function exitOf(child: ChildProcess): Promise<ProcessExit> {
  return new Promise((resolve) => {
    child.once('exit', (code, signal) => resolve({ code, signal }));
  });
}

function exitSoFar({ exitCode, signalCode }: ChildProcess): ProcessExit | undefined {
  const hasEnded = exitCode !== null || signalCode !== null;
  return hasEnded ? { code: exitCode, signal: signalCode } : undefined;
}

async function stop(child: ChildProcess, exited: Promise<ProcessExit>): Promise<void> {
  child.kill('SIGTERM');
  const force = setTimeout(() => child.kill('SIGKILL'), stopGraceMs);
  await exited;
  clearTimeout(force);
}
