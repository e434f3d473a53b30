// One of the service's own processes, restarted when it ends.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, open } from 'node:fs/promises';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const restartWaitMs = 1_000;
const restartWaitMaxMs = 15_000;
// After this long the waits start from the beginning.
const soundAfterMs = 30_000;
const stopTimeoutMs = 12_000;

interface ChildOptions {
  name: string;
  /** Arguments of node: the module to run and what comes before it. */
  args: readonly string[];
  env: NodeJS.ProcessEnv;
  logPath: string;
  progress: (line: string) => void;
  /** Called at each start, the first included. */
  onStart: (pid: number) => void;
}

/**
 * Starts a process, waits for its first message, and from then on restarts it when it ends, after a
 * wait that doubles up to 15 s. Throws, with the path of the log, when the first start fails.
 */
export async function superviseChild(options: ChildOptions): Promise<AsyncDisposable> {
  await mkdir(dirname(options.logPath), { recursive: true });
  const stopping = new AbortController();
  let child = await startChild(options);
  if (!(await becomesReady(child))) {
    throw new Error(
      `the ${options.name} did not start (${howEnded(child)}); see its log: ${options.logPath}`,
    );
  }
  let waitMs = restartWaitMs;
  const supervision = (async () => {
    while (true) {
      const startedAt = performance.now();
      await ended(child);
      if (stopping.signal.aborted) return;
      if (performance.now() - startedAt > soundAfterMs) waitMs = restartWaitMs;
      options.progress(
        `the ${options.name} ended (${howEnded(child)}); restarting it in ${waitMs / 1_000} s; log: ${options.logPath}`,
      );
      await sleep(waitMs, undefined, { signal: stopping.signal }).catch(() => undefined);
      if (stopping.signal.aborted) return;
      waitMs = Math.min(restartWaitMaxMs, waitMs * 2);
      child = await startChild(options);
      // The stop saw the process before this one.
      if (stopping.signal.aborted) return stopChild(child);
    }
  })();
  return {
    async [Symbol.asyncDispose]() {
      stopping.abort();
      await stopChild(child);
      await supervision;
    },
  };
}

async function startChild(options: ChildOptions): Promise<ChildProcess> {
  const log = await open(options.logPath, 'a');
  try {
    const child = spawn(process.execPath, options.args, {
      env: options.env,
      stdio: ['ignore', log.fd, log.fd, 'ipc'],
      // Its own process group: Ctrl-C reaches the launcher alone, which then stops all in order.
      detached: true,
    });
    await once(child, 'spawn');
    options.onStart(child.pid ?? 0);
    return child;
  } finally {
    await log.close();
  }
}

async function becomesReady(child: ChildProcess): Promise<boolean> {
  return Promise.race([once(child, 'message').then(() => true), ended(child).then(() => false)]);
}

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
}

async function stopChild(child: ChildProcess): Promise<void> {
  child.kill('SIGTERM');
  const kill = setTimeout(() => child.kill('SIGKILL'), stopTimeoutMs);
  await ended(child);
  clearTimeout(kill);
}

function howEnded(child: ChildProcess): string {
  return child.signalCode ?? `code ${child.exitCode}`;
}
