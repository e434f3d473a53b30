// A guarded server ends with the process that started it, and a failed start is reported with its reason.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type GuardedProcess, startGuarded } from '../../../dev/servers/guarded-process.ts';
import { processStartTime } from '../../../dev/servers/process-identity.ts';
import { waitUntilReady } from '../../../dev/servers/wait-until-ready.ts';
import { groupIsGone } from '../../support/process-group.ts';
import { waitFor } from '../../support/wait-for.ts';

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'guarded-process-test-'));
});

afterAll(async () => {
  await rm(folder, { recursive: true });
});

function startShell(script: string, logName: string): Promise<GuardedProcess> {
  const logFile = join(folder, logName);
  return startGuarded({ name: 'shell', binary: '/bin/sh', args: ['-c', script], logFile });
}

test('stopping ends the server and its watcher', async () => {
  const server = await startShell('exec sleep 60', 'stop.log');
  expect(server.exit()).toBeUndefined();
  await Promise.all([server.stop(), server.stop()]);
  expect(await server.exited).toEqual({ code: null, signal: 'SIGTERM' });
  await waitFor(() => groupIsGone(server.pid), { what: 'the watcher to end' });
});

test('the returned pid is that of the server itself', async () => {
  const server = await startShell('echo $$; exec sleep 60', 'pid.log');
  const log = await waitFor(async () => (await readFile(server.logFile, 'utf8')) || undefined);
  await server.stop();
  expect(Number(log)).toBe(server.pid);
});

test('a server that ends by itself leaves no watcher', async () => {
  const server = await startShell('exit 3', 'early.log');
  expect(await server.exited).toEqual({ code: 3, signal: null });
  await waitFor(() => groupIsGone(server.pid), { what: 'the watcher to end' });
  await server.stop();
});

test('a server that ends while starting is reported with the path and the last lines of its log', async () => {
  const server = await startShell('echo first; echo out of luck >&2; exit 7', 'fault.log');
  const ready = waitUntilReady(server, { check: async () => undefined, timeoutMs: 5000 });
  await expect(ready).rejects.toThrow(
    `shell did not start: it ended with code 7. Its log, ${server.logFile}, ends:\nfirst\nout of luck`,
  );
});

test('a server that never responds is stopped, and the last error is reported', async () => {
  const server = await startShell('exec sleep 60', 'silent.log');
  const ready = waitUntilReady(server, {
    check: () => Promise.reject(new Error('nobody home')),
    timeoutMs: 100,
  });
  await expect(ready).rejects.toThrow('it was not ready after 0.1 s (nobody home)');
  expect(server.exit()).toBeDefined();
});

test('a missing binary is reported by the shell in the log', async () => {
  const logFile = join(folder, 'missing.log');
  const binary = join(folder, 'no-such-binary');
  const server = await startGuarded({ name: 'ghost', binary, args: [], logFile });
  const ready = waitUntilReady(server, { check: async () => undefined, timeoutMs: 5000 });
  await expect(ready).rejects.toThrow(/ghost did not start: it ended with code 127.*not found/s);
});

test('the log of the previous run is kept next to the new one', async () => {
  await (
    await startShell('echo one', 'twice.log')
  ).exited;
  const { logFile, exited } = await startShell('echo two', 'twice.log');
  await exited;
  expect(await readFile(logFile, 'utf8')).toBe('two\n');
  expect(await readFile(`${logFile}.previous`, 'utf8')).toBe('one\n');
});

function spawnParent(ending: 'wait' | 'crash'): ChildProcess {
  const script = fileURLToPath(new URL('start-guarded-parent.ts', import.meta.url));
  const args = ['--import', 'tsx', script, join(folder, `${ending}.log`), ending];
  return spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'ignore'] });
}

async function firstLine({ stdout }: ChildProcess): Promise<string> {
  if (!stdout) throw new Error('no stdout');
  const [chunk]: unknown[] = await once(stdout, 'data');
  return String(chunk).trim();
}

test.each(['SIGKILL', 'SIGINT', 'SIGTERM'] as const)(
  'the server of a parent ended by %s ends within 2 s',
  async (signal) => {
    const parent = spawnParent('wait');
    const pid = Number(await firstLine(parent));
    expect(await processStartTime(pid)).not.toBeNull();
    parent.kill(signal);
    await waitFor(() => groupIsGone(pid), { what: 'the server to end' });
  },
);

test('the server of a parent that crashes ends within 2 s', async () => {
  const parent = spawnParent('crash');
  const pid = Number(await firstLine(parent));
  await once(parent, 'exit');
  await waitFor(() => groupIsGone(pid), { what: 'the server to end' });
});
