// The notifications of a process to systemd, through a socket like that of systemd.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { afterEach, describe, expect, test } from 'vitest';
import { waitFor } from '../../support/wait-for.ts';

const watchdogMs = 300;
const hangsMs = 5 * watchdogMs;

// Prints each message on its own line.
const systemd = `
import socket, sys
notices = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
notices.bind(sys.argv[1])
print('listening', flush=True)
while True:
    print(notices.recv(4096).decode().strip(), flush=True)
`;

// A line of input blocks its event loop for a while.
const service = `
import { notifySystemd } from './lib/platform/systemd.ts';
notifySystemd(process.env);
process.stdin.on('data', () => {
  process.stdout.write('hangs\\n', () => {
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ${hangsMs});
    process.stdout.write('runs\\n');
  });
});
`;

const canRun = ['systemd-notify', 'python3'].every(
  (program) => spawnSync(program, ['--version']).status === 0,
);
const children: ChildProcess[] = [];
let folder = '';

afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
  rmSync(folder, { recursive: true, force: true });
});

function linesOf(child: ChildProcess): readonly string[] {
  children.push(child);
  const lines: string[] = [];
  createInterface(child.stdout as Readable).on('line', (line) => lines.push(line));
  return lines;
}

/** Starts both, the service with these watchdog settings; `$$` is its process ID. */
async function startBoth(watchdog: string) {
  folder = mkdtempSync(join(tmpdir(), 'herald-systemd-'));
  const socket = join(folder, 'notify');
  const stdio = ['pipe', 'pipe', 'inherit'] as const;
  const notices = linesOf(spawn('python3', ['-c', systemd, socket], { stdio: [...stdio] }));
  await waitFor(() => notices.includes('listening'));
  const command = `${watchdog} exec "$0" --import tsx --input-type=module --eval "$1"`;
  const child = spawn('sh', ['-c', command, process.execPath, service], {
    env: { ...process.env, NOTIFY_SOCKET: socket },
    stdio: [...stdio],
  });
  const count = (notice: string): number => notices.filter((line) => line === notice).length;
  return { child, said: linesOf(child), count };
}

describe.skipIf(!canRun)('with systemd-notify', () => {
  test('a process reports ready once, and then that it runs until its event loop hangs', async () => {
    const { child, said, count } = await startBoth(
      `WATCHDOG_PID=$$ WATCHDOG_USEC=${watchdogMs * 1_000}`,
    );
    await waitFor(() => count('WATCHDOG=1') >= 3);
    child.stdin?.write('hang\n');
    await waitFor(() => said.includes('hangs'));
    const before = count('WATCHDOG=1');
    await waitFor(() => said.includes('runs'));
    // Of fifteen: messages that the shell had not sent yet when the loop began to hang.
    const meanwhile = count('WATCHDOG=1') - before;
    expect(meanwhile).toBeLessThan(5);
    await waitFor(() => count('WATCHDOG=1') >= before + meanwhile + 3);
    expect(count('READY=1')).toBe(1);
  });

  test('the watchdog of another process gets no messages, and no other setting of systemd is needed', async () => {
    const { child, said, count } = await startBoth('WATCHDOG_PID=1 WATCHDOG_USEC=1000');
    await waitFor(() => count('READY=1') === 1);
    child.stdin?.write('hang\n');
    await waitFor(() => said.includes('runs'));
    expect(count('WATCHDOG=1')).toBe(0);
  });
});
