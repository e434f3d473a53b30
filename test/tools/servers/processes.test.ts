// What `npm start` needs of its machine: free ports, one start per data folder, and servers that end with the process that
// started them.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pickPorts, requirePort } from '../../../dev/servers/free-port.ts';
import { type GuardedProcess, startGuarded } from '../../../dev/servers/guarded-process.ts';
import { processStartTime } from '../../../dev/servers/process-identity.ts';
import { takeStartLock } from '../../../dev/servers/start-lock.ts';
import { waitUntilReady } from '../../../dev/servers/wait-until-ready.ts';
import { waitFor } from '../../support/wait-for.ts';

const pickPort = async (preferred: number) => (await pickPorts([preferred]))[0] ?? 0;
let folder: string;
let lockFile: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'processes-test-'));
  lockFile = join(folder, 'start.lock');
});
afterEach(() => rm(folder, { recursive: true }));

/** Takes a port until the end of the scope. */
async function holdPort(host: string) {
  const held = createServer().listen(0, host);
  await once(held, 'listening');
  const { port } = held.address() as AddressInfo;
  return { port, [Symbol.dispose]: () => void held.close() };
}

test.each(['127.0.0.1', '0.0.0.0'])(
  'a preferred port taken on %s is replaced by a free one, which is then preferred',
  async (host) => {
    using taken = await holdPort(host);
    const port = await pickPort(taken.port);
    expect(port).not.toBe(taken.port);
    expect([await pickPort(port), await requirePort(port)]).toEqual([port, port]);
  },
);

test('ports picked together differ, even when the same one is preferred', async () => {
  const free = await pickPort(0);
  const ports = await pickPorts([free, free, 0, 0]);
  expect(ports[0]).toBe(free);
  expect(new Set(ports).size).toBe(4);
});

test('a required port in use is reported in one sentence with the port and the setting', async () => {
  using taken = await holdPort('127.0.0.1');
  await expect(requirePort(taken.port, { setting: 'PORT' })).rejects.toThrow(
    `port ${taken.port} is already in use; stop what uses it, or set PORT to another port (0 picks a free one)`,
  );
});

test('a second start is refused in one sentence with the process, the file and the setting', async () => {
  await using _lock = await takeStartLock(folder);
  await expect(takeStartLock(folder)).rejects.toThrow(
    `agent-herald is already running here (pid ${process.pid}, lock file ${lockFile}); ` +
      'stop it, or set HERALD_DATA_DIR to another folder',
  );
  expect(await readdir(folder)).toEqual(['start.lock']);
});

test('the lock of a process that has ended can be acquired', async () => {
  await writeFile(lockFile, JSON.stringify({ pid: spawnSync('true').pid, startTime: '1' }));
  await using _lock = await takeStartLock(folder);
  expect(JSON.parse(await readFile(lockFile, 'utf8'))).toMatchObject({ pid: process.pid });
});

test('a lock whose process number now belongs to another process can be acquired', async () => {
  const startTime = `${await processStartTime(process.pid)}0`;
  await writeFile(lockFile, JSON.stringify({ pid: process.pid, startTime }));
  await using _lock = await takeStartLock(folder);
  expect(await readFile(lockFile, 'utf8')).not.toContain(startTime);
});

test.each([
  ['is empty', ''],
  ['is not JSON', 'pid 12'],
  ['names process 0', '{"pid":0}'],
])('a lock file that %s is replaced', async (_fault, content) => {
  await writeFile(lockFile, content);
  await using _lock = await takeStartLock(folder);
  expect(JSON.parse(await readFile(lockFile, 'utf8'))).toMatchObject({ pid: process.pid });
});

/** Returns true if no process of the group is running. Zombies do not count. */
async function groupIsGone(groupId: number): Promise<boolean> {
  const processes = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const groups = await Promise.all(processes.map(runningGroup));
  return !groups.includes(groupId);
}

async function runningGroup(pid: string): Promise<number | undefined> {
  // It may end between the listing and the reading.
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => undefined);
  const [state, , group] = stat?.slice(stat.lastIndexOf(')') + 2).split(' ') ?? [];
  return state === undefined || state === 'Z' ? undefined : Number(group);
}

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

test('the log of the previous run is kept next to the new one', async () => {
  await (
    await startShell('echo one', 'twice.log')
  ).exited;
  const { logFile, exited } = await startShell('echo two', 'twice.log');
  await exited;
  expect(await readFile(logFile, 'utf8')).toBe('two\n');
  expect(await readFile(`${logFile}.previous`, 'utf8')).toBe('one\n');
});

/** Starts a guarded server, prints its process ID, and then waits or crashes. */
const parentSource = `
  import { startGuarded } from '${resolve('dev/servers/guarded-process.ts')}';
  const { LOG: logFile, ENDING } = process.env;
  const server = await startGuarded({ name: 'sleep', binary: 'sleep', args: ['60'], logFile });
  process.stdout.write(server.pid + '\\n', () => {
    if (ENDING === 'crash') throw new Error('crashed on purpose');
  });
`;

function spawnParent(ending: 'wait' | 'crash'): ChildProcess {
  const args = ['--import', 'tsx', '--input-type=module', '-e', parentSource];
  const env = { ...process.env, LOG: join(folder, 'server.log'), ENDING: ending };
  return spawn(process.execPath, args, { env, stdio: ['ignore', 'pipe', 'ignore'] });
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
