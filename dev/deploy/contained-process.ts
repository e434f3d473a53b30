// Runs a program as it runs in a hardened container: as user 1000, on a file system that cannot be written.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

const script =
  'mount --rbind / "$0" && mount -o remount,bind,ro "$0" && dir=$1 && shift && ' +
  'exec chroot --userspec=1000:1000 "$0" env -C "$dir" "$@"';
const isolation = ['--mount', '--propagation', 'private'];

/** Ends with 0 where that is possible: as root of Linux. */
export const containedProbe = ['unshare', ...isolation, 'true'] as const;

export interface ContainedProcess extends AsyncDisposable {
  readonly lines: readonly string[];
  /** Resolves with the fields of the first log line of that name; rejects when the process ends before. */
  logged(msg: string): Promise<Record<string, unknown>>;
  residentMb(): Promise<number>;
  exited: Promise<number | null>;
  stop(): Promise<number | null>;
}

interface ContainedOptions {
  /** For the mount. */
  readonly scratch: string;
  readonly folder: string;
  readonly command: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

export async function startContained(options: ContainedOptions): Promise<ContainedProcess> {
  const { scratch, folder, command, env } = options;
  const mountPoint = join(scratch, 'root');
  await mkdir(mountPoint, { recursive: true });
  const args = [...isolation, 'sh', '-c', script, mountPoint, folder, ...command];
  const child = spawn('unshare', args, {
    env: { PATH: process.env['PATH'], ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const lines: string[] = [];
  const output = createInterface(child.stdout);
  output.on('line', (line) => lines.push(line));
  const exited = once(child, 'close').then(([code]) => code as number | null);
  const find = (msg: string): Record<string, unknown> | undefined =>
    lines
      .filter((line) => line.startsWith('{'))
      .map((line) => JSON.parse(line) as Record<string, unknown>)
      .find((line) => line['msg'] === msg);
  return {
    lines,
    exited,
    logged: (msg) =>
      new Promise((resolve, reject) => {
        const look = (): void => {
          const found = find(msg);
          if (found !== undefined) resolve(found);
        };
        output.on('line', look);
        look();
        void exited.then((code) => reject(new Error(`ended with ${code}: ${lines.join('\n')}`)));
      }),
    async residentMb() {
      const status = await readFile(`/proc/${child.pid}/status`, 'utf8');
      return Math.round(Number(/^VmRSS:\s+(\d+)/m.exec(status)?.[1]) / 1024);
    },
    stop() {
      child.kill('SIGTERM');
      return exited;
    },
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL');
      await exited;
    },
  };
}
