import { setTimeout } from 'node:timers/promises';
import { processLimits } from '../limits.ts';
import { processLog } from './logger.ts';
import { ConfigError } from './config-error.ts';
import { notifySystemd } from './systemd.ts';

export interface RunningRole extends AsyncDisposable {
  /** Before an orderly stop, continues to work until load balancers have noticed. */
  drain?: () => Promise<void>;
  /** Resolves with a fault that ends the process. */
  failed: Promise<unknown>;
}

/** Runs a role until SIGTERM, SIGINT or the end of its parent. The exit code is 0 after an orderly stop. */
export async function runProcess(role: string, start: () => Promise<RunningRole>): Promise<void> {
  try {
    const running = await start();
    // Installed before the process reports ready, because signals may arrive from then on.
    const stopRequested = untilStopRequested();
    processLog.info({ role }, 'process.ready');
    process.send?.('ready');
    notifySystemd(process.env);
    const reason = await Promise.race([stopRequested, running.failed.then((fault) => ({ fault }))]);
    if (typeof reason === 'string') {
      processLog.info({ role, reason }, 'process.stopping');
      await running.drain?.();
    }
    const stopped = await Promise.race([
      running[Symbol.asyncDispose]().then(() => true),
      setTimeout(processLimits.stopTimeoutMs, false),
    ]);
    if (typeof reason === 'string' && stopped) {
      processLog.info({ role, reason }, 'process.stopped');
      process.exit(0);
    }
    processLog.fatal({ role, reason, stopped }, 'process.failed');
  } catch (error) {
    // The operator needs only the message of a faulty setting; a stack would hide it.
    const message = error instanceof Error ? error.message : String(error);
    const err = error instanceof ConfigError ? undefined : error;
    processLog.fatal({ role, message, err }, 'process.failed');
  }
  process.exit(1);
}

async function untilStopRequested(): Promise<string> {
  return new Promise((resolve) => {
    process.once('SIGTERM', resolve);
    process.once('SIGINT', resolve);
    // Under npm start, the channel closes with the parent, however it died.
    process.once('disconnect', () => resolve('parent gone'));
  });
}
