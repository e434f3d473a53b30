import { spawn } from 'node:child_process';
import { processLog } from './logger.ts';

/**
 * Notifies systemd, if it started this process with `Type=notify`, that the process is ready, and then three times per
 * `WatchdogSec` that its event loop runs: systemd kills a process that hangs. See sd_notify(3).
 */
export function notifySystemd(environment: NodeJS.ProcessEnv): void {
  if (!environment['NOTIFY_SOCKET']) return;
  // Node lacks Unix datagram sockets, so a shell runs systemd-notify. Spawning it from here each time would pause a
  // process of this size for 100 ms.
  const script = 'while read -r state; do systemd-notify "$state"; done';
  const shell = spawn('sh', ['-c', script], { stdio: ['pipe', 'ignore', 'inherit'] });
  const notify = (state: string): unknown => shell.stdin.write(`${state}\n`);
  notify('READY=1');
  const watchdogMs = Number(environment['WATCHDOG_USEC'] ?? 0) / 1_000;
  const isWatched = watchdogMs > 0 && environment['WATCHDOG_PID'] === String(process.pid);
  const timer = isWatched ? setInterval(() => notify('WATCHDOG=1'), watchdogMs / 3) : undefined;
  timer?.unref();
  // At a stop, systemd ends the shell first.
  shell.stdin.on('error', () => clearInterval(timer));
  shell.on('error', (err) => processLog.warn({ err }, 'systemd.notify_failed'));
  shell.unref();
}
