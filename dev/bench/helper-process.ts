import { fork } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

const startTimeoutMs = 45_000;
const stopTimeoutMs = 5_000;

interface Helper extends AsyncDisposable {
  pid: number;
}

interface HelperOptions {
  /** The argument of the module, as JSON. */
  input?: object;
  onMessage: (message: unknown) => void;
}

/** Starts a module in this folder as a process. Resolves after its first message. */
export async function startHelper(
  module: string,
  { input = {}, onMessage }: HelperOptions,
): Promise<Helper> {
  const child = fork(fileURLToPath(new URL(module, import.meta.url)), [JSON.stringify(input)], {
    execArgv: ['--import', 'tsx'],
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    // Another process group, so that Ctrl-C reaches only the driver, which then ends everything in order.
    detached: true,
  });
  child.on('message', onMessage);
  const ended = once(child, 'exit').then(([code, signal]) => `ended (${signal ?? `code ${code}`})`);
  const stop = async (): Promise<void> => {
    if (child.connected) child.disconnect();
    const force = setTimeout(() => child.kill('SIGKILL'), stopTimeoutMs);
    await ended;
    clearTimeout(force);
  };
  const late = delay(startTimeoutMs, 'did not report in time', { ref: false });
  const fault = await Promise.race([once(child, 'message').then(() => null), ended, late]);
  if (fault !== null) {
    await stop();
    throw new Error(`${module} ${fault}`);
  }
  return { pid: child.pid ?? 0, [Symbol.asyncDispose]: stop };
}
