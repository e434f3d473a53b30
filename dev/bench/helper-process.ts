import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

const stopTimeoutMs = 5_000;

interface Helper extends AsyncDisposable {
  pid: number;
  send(message: object): void;
  /** Resolves with the signal or code when the process has ended. */
  ended: Promise<string>;
}

/** Starts a module in this folder as a process. Resolves after its first message. */
export async function startHelper(
  module: string,
  { onMessage }: { onMessage: (message: unknown) => void },
): Promise<Helper> {
  const child = fork(fileURLToPath(new URL(module, import.meta.url)), [], {
    execArgv: ['--import', 'tsx'],
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    // Another process group, so that Ctrl-C reaches only the driver, which then ends everything in order.
    detached: true,
  });
  child.on('message', (message) => onMessage(message));
  const ended = once(child, 'exit').then(([code, signal]) => String(signal ?? `code ${code}`));
  const how = await Promise.race([once(child, 'message').then(() => null), ended]);
  if (how !== null) throw new Error(`${module} did not start (${how})`);
  return {
    pid: child.pid ?? 0,
    send: (message) => void child.send(message),
    ended,
    async [Symbol.asyncDispose]() {
      if (child.connected) child.disconnect();
      const force = setTimeout(() => child.kill('SIGKILL'), stopTimeoutMs);
      await ended;
      clearTimeout(force);
    },
  };
}
