// The real servers end with the process that started them, and the time-skipping one runs from its path.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { TestWorkflowEnvironment } from '@temporalio/testing';
import { groupIsGone } from '../support/process-group.ts';
import { waitFor } from '../support/wait-for.ts';
import { foundServers } from '../tools/servers/found-servers.ts';

let paths: Awaited<ReturnType<typeof foundServers>>;
let folder: string;

beforeAll(async () => {
  paths = await foundServers();
  folder = await mkdtemp(join(tmpdir(), 'parent-killed-test-'));
});

afterAll(async () => {
  await rm(folder, { recursive: true });
});

test('MongoDB and Temporal of a parent ended by SIGKILL end within 2 s', async () => {
  const script = fileURLToPath(new URL('start-servers-parent.ts', import.meta.url));
  const args = ['--import', 'tsx', script, paths.mongod, paths.temporal, folder];
  const parent = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  const [line]: unknown[] = await once(parent.stdout, 'data');
  const pids = String(line).trim().split(' ').map(Number);
  expect(pids).toHaveLength(2);
  expect(await Promise.all(pids.map(groupIsGone))).toEqual([false, false]);
  parent.kill('SIGKILL');
  await waitFor(async () => (await Promise.all(pids.map(groupIsGone))).every(Boolean), {
    what: 'both servers to end',
  });
});

test('the time-skipping server runs from the path where it was found', async () => {
  const executable = { type: 'existing-path', path: paths['temporal-test-server'] } as const;
  const environment = await TestWorkflowEnvironment.createTimeSkipping({ server: { executable } });
  const before = await environment.currentTimeMs();
  await environment.sleep('1 hour');
  expect((await environment.currentTimeMs()) - before).toBeGreaterThanOrEqual(60 * 60 * 1000);
  await environment.teardown();
});
