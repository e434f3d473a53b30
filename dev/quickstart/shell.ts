// A terminal: commands in one shell, with their output, and an end for every process that they started.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';

export interface Shell extends AsyncDisposable {
  readonly output: () => string;
  /** Resolves with the exit code, or the signal. */
  readonly ended: Promise<number | string>;
  /** Resolves when `text` has been printed. Throws with the output if the shell ends or the time is up first. */
  until(text: string, timeoutMs: number): Promise<void>;
}

const stopTimeoutMs = 20_000;

export function openShell(
  commands: string,
  options: { cwd: string; env: NodeJS.ProcessEnv },
): Shell {
  // Its own process group, so that a server started by npm ends with it.
  const child = spawn('bash', ['-c', commands], {
    ...options,
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let text = '';
  const changes = new EventTarget();
  const take = (chunk: string): void => {
    text += chunk;
    changes.dispatchEvent(new Event('change'));
  };
  child.stdout.setEncoding('utf8').on('data', take);
  child.stderr.setEncoding('utf8').on('data', take);
  const ended = once(child, 'close').then(([code, signal]) => (code ?? signal) as number | string);
  return {
    output: () => text,
    ended,
    async until(awaited, timeoutMs) {
      const timeUp = AbortSignal.timeout(timeoutMs);
      const printed = new Promise<boolean>((resolve) => {
        const check = (): void => {
          if (text.includes(awaited)) resolve(true);
        };
        changes.addEventListener('change', check);
        timeUp.addEventListener('abort', () => resolve(false));
        check();
      });
      if (await Promise.race([printed, ended.then(() => text.includes(awaited))])) return;
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
