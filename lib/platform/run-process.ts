// The life of a process: start, wait for a signal or a fault, stop within its time, say how it ended.
import { stopTimeoutMs } from '../limits.ts';
import { processLog } from './logger.ts';
import { ConfigError } from './setting-reader.ts';

/** What a role's start gives: `failed` resolves with a fault that ends the process. */
export interface RunningRole extends AsyncDisposable {
  failed: Promise<unknown>;
}

/**
 * Runs a role until SIGTERM, SIGINT or the end of the parent that started it, then disposes of it.
 * The exit code is 0 after an orderly stop, 1 after a fault; one line in the log says which.
 */
export async function runProcess(role: string, start: () => Promise<RunningRole>): Promise<void> {
  try {
    const running = await start();
    processLog.info({ role }, 'process.ready');
    process.send?.('ready');
    const reason = await Promise.race([stopAsked(), running.failed.then((fault) => ({ fault }))]);
    if (typeof reason === 'string') processLog.info({ role, reason }, 'process.stopping');
    const stopped = await stopInTime(running);
    if (typeof reason === 'string' && stopped) {
      processLog.info({ role, reason }, 'process.stopped');
      process.exit(0);
    }
    processLog.fatal({ role, reason, stopped }, 'process.failed');
  } catch (error) {
    // A faulty setting is the operator's to mend: the sentence helps, a stack would hide it.
    const message = error instanceof Error ? error.message : String(error);
    const err = error instanceof ConfigError ? undefined : error;
    processLog.fatal({ role, message, err }, 'process.failed');
  }
  process.exit(1);
}

async function stopAsked(): Promise<string> {
  return new Promise((resolve) => {
    process.once('SIGTERM', resolve);
    process.once('SIGINT', resolve);
    // Under a supervisor (npm start) the channel ends with the parent, however it died.
    process.once('disconnect', () => resolve('parent gone'));
  });
}

async function stopInTime(running: AsyncDisposable): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<boolean>((resolve) => {
    timer = setTimeout(() => resolve(false), stopTimeoutMs);
  });
  try {
    return await Promise.race([running[Symbol.asyncDispose]().then(() => true), late]);
  } finally {
    clearTimeout(timer);
  }
}
