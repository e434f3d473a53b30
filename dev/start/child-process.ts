// One of the service's own processes, restarted when it ends.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, open } from 'node:fs/promises';
import { dirname } from 'node:path';
import { type Running, supervise, type Supervised } from './supervise.ts';

const restartWaitMs = 1_000;
const stopTimeoutMs = 12_000;

interface ChildOptions {
  name: string;
  /** Arguments of node: its options and the module to run. */
  args: readonly string[];
  env: NodeJS.ProcessEnv;
  logPath: string;
  progress: (line: string) => void;
  /** Called once the first process is ready, and at each restart. */
  onStart: (pid: number) => void;
}

interface Child extends Running {
  pid: number;
  /** Resolves to true at its first message, or to false if it ends before that. */
  isReady: Promise<boolean>;
}

/**
 * Starts a process, waits for its first message, and from then on restarts it when it ends. Throws with the path of the
 * log if the first start fails.
 */
export async function superviseChild(options: ChildOptions): Promise<Supervised> {
  const { name, logPath, progress, onStart } = options;
  await mkdir(dirname(logPath), { recursive: true });
  const child = await startChild(options);
  if (!(await child.isReady)) {
    const { code, signal } = await child.exited;
    throw new Error(
      `the ${name} did not start (${signal ?? `code ${code}`}); its log is ${logPath}`,
    );
  }
  return supervise(child, {
    name: `the ${name}`,
    start: () => startChild(options),
    onStart: ({ pid }) => onStart(pid),
    firstWaitMs: restartWaitMs,
    progress: (line) => progress(`${line}; log: ${logPath}`),
  });
}

async function startChild({ args, env, logPath }: ChildOptions): Promise<Child> {
  const log = await open(logPath, 'a');
  try {
    const child = spawn(process.execPath, args, {
      env,
      stdio: ['ignore', log.fd, log.fd, 'ipc'],
      // Its own process group, so that Ctrl-C reaches only the launcher, which then stops everything in order.
      detached: true,
    });
    const exited = once(child, 'exit').then(([code, signal]) => ({ code, signal }));
    await once(child, 'spawn');
    return {
      pid: child.pid ?? 0,
      exited,
      isReady: Promise.race([once(child, 'message').then(() => true), exited.then(() => false)]),
      async [Symbol.asyncDispose]() {
        child.kill('SIGTERM');
        const kill = setTimeout(() => child.kill('SIGKILL'), stopTimeoutMs);
        await exited;
        clearTimeout(kill);
      },
    };
  } finally {
    await log.close();
  }
}
