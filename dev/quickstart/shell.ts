// A terminal: commands in one shell, with their output, and an end for every process that they started.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';

export interface Shell extends AsyncDisposable {
  readonly output: () => string;
  /** Resolves with the exit code, or the signal. */
  readonly ended: Promise<number | string>;
  /** Resolves when `text` has been printed. Throws with the output if the shell ends or the time is up first. */
  until(text: string, timeoutMs: number): Promise<void>;
}

/** One port for all, as for a reader: a program that is still running, or receives what is meant for another, is found. */
export interface Session {
  readonly options: { cwd: string; env: NodeJS.ProcessEnv };
  readonly port: number;
  /** Replaces the port of the documents by this one, and back. */
  readonly atPort: (commands: string) => string;
  readonly asWritten: (text: string) => string;
}

const stopTimeoutMs = 20_000;
const pollIntervalMs = 100;

export function openShell(commands: string, options: Session['options']): Shell {
  // Its own process group, so that a server started by npm ends with it.
  const child = spawn('bash', ['-c', commands], {
    ...options,
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let text = '';
  const take = (chunk: string): void => void (text += chunk);
  child.stdout.setEncoding('utf8').on('data', take);
  child.stderr.setEncoding('utf8').on('data', take);
  const ended = once(child, 'close').then(([code, signal]) => (code ?? signal) as number | string);
  return {
    output: () => text,
    ended,
    async until(awaited, timeoutMs) {
      const deadline = performance.now() + timeoutMs;
      const isOver = (): boolean => child.exitCode !== null || child.signalCode !== null;
      while (!isOver() && !text.includes(awaited) && performance.now() < deadline)
        await delay(pollIntervalMs);
      if (isOver()) await ended;
      if (text.includes(awaited)) return;
      throw new Error(`"${awaited}" was not printed by\n${commands}\nbut:\n${text}`);
    },
    [Symbol.asyncDispose]: () => endGroup(child, ended),
  };
}

async function endGroup(child: ChildProcess, ended: Promise<unknown>): Promise<void> {
  signalGroup(child, 'SIGTERM');
  const kill = setTimeout(() => signalGroup(child, 'SIGKILL'), stopTimeoutMs);
  await ended;
  clearTimeout(kill);
}

function signalGroup({ pid, exitCode, signalCode }: ChildProcess, signal: NodeJS.Signals): void {
  if (pid !== undefined && exitCode === null && signalCode === null) process.kill(-pid, signal);
}
