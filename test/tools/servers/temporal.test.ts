// The embedded Temporal: namespaces usable immediately, workflows kept over restarts.
import { randomUUID } from 'node:crypto';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Client, Connection } from '@temporalio/client';
import { msToTs } from '@temporalio/common/lib/time.js';
import {
  type RunningTemporal,
  startTemporalDevServer,
  type TemporalDevServerOptions,
} from '../../../dev/servers/temporal.ts';
import { ensureNamespace } from '../../../dev/servers/temporal-namespace.ts';
import { waitFor } from '../../support/wait-for.ts';
import { foundServers, quiet } from './found-servers.ts';

let binary: string;
let folder: string;

beforeAll(async () => {
  binary = (await foundServers()).temporal;
  folder = await mkdtemp(join(tmpdir(), 'temporal-test-'));
});

afterAll(async () => {
  await rm(folder, { recursive: true });
});

function start(options: Partial<TemporalDevServerOptions>): Promise<RunningTemporal> {
  return startTemporalDevServer({
    binary,
    dataDir: null,
    port: 0,
    uiPort: null,
    namespaces: ['herald'],
    progress: quiet,
    ...options,
  });
}

async function withConnection<Result>(
  { address }: RunningTemporal,
  use: (connection: Connection) => Promise<Result>,
): Promise<Result> {
  const connection = await Connection.connect({ address });
  try {
    return await use(connection);
  } finally {
    await connection.close();
  }
}

async function startWorkflow(connection: Connection, namespace: string): Promise<string> {
  const client = new Client({ connection, namespace });
  const { workflowId } = await client.workflow.start('nobody-runs-this', {
    workflowId: randomUUID(),
    taskQueue: 'nobody-polls',
  });
  return workflowId;
}

test("every namespace keeps closed workflows for 7 days, including the server's default one", async () => {
  await using server = await start({ namespaces: ['default', 'herald'] });
  await withConnection(server, async ({ workflowService }) => {
    for (const namespace of ['default', 'herald']) {
      const { config } = await workflowService.describeNamespace({ namespace });
      const seconds = Number(config?.workflowExecutionRetentionTtl?.seconds);
      expect({ namespace, days: seconds / 86_400 }).toEqual({ namespace, days: 7 });
    }
  });
});

test('a longer retention set by an operator is kept', async () => {
  await using server = await start({ namespaces: [] });
  await withConnection(server, async (connection) => {
    const { workflowService } = connection;
    const namespace = 'default';
    const asked = { workflowExecutionRetentionTtl: msToTs('30 days') };
    await workflowService.updateNamespace({ namespace, config: asked });
    await ensureNamespace(connection, namespace);
    const { config } = await workflowService.describeNamespace({ namespace });
    expect(Number(config?.workflowExecutionRetentionTtl?.seconds)).toBe(30 * 86_400);
  });
});

test('a started workflow is still running after SIGKILL and a start on another port', async () => {
  const dataDir = join(folder, 'kept');
  const first = await start({ dataDir });
  const workflowId = await withConnection(first, (connection) =>
    startWorkflow(connection, 'herald'),
  );
  process.kill(first.pid, 'SIGKILL');
  expect(await first.exited).toEqual({ code: null, signal: 'SIGKILL' });

  await using second = await start({ dataDir, uiPort: 0 });
  expect(second.address).not.toBe(first.address);
  await withConnection(second, async (connection) => {
    const client = new Client({ connection, namespace: 'herald' });
    expect((await client.workflow.getHandle(workflowId).describe()).status.name).toBe('RUNNING');
    await startWorkflow(connection, 'herald');
  });
  const page = await fetch(second.uiUrl ?? '');
  expect(page.status).toBe(200);
});

test('a namespace created at run time accepts workflows and queries immediately', async () => {
  await using server = await start({ namespaces: [] });
  expect(server.uiUrl).toBeNull();
  await withConnection(server, async (connection) => {
    for (const namespace of ['test-1', 'test-2']) {
      await Promise.all([
        ensureNamespace(connection, namespace),
        ensureNamespace(connection, namespace),
      ]);
      const workflowId = await startWorkflow(connection, namespace);
      const client = new Client({ connection, namespace });
      const query = `WorkflowType = 'nobody-runs-this'`;
      const found = await waitFor(async () => {
        for await (const workflow of client.workflow.list({ query })) return workflow.workflowId;
        return undefined;
      });
      expect(found).toBe(workflowId);
    }
  });
});

test('data of another CLI version is not used, and this is reported', async () => {
  const dataDir = await mkdtemp(join(folder, 'versions-'));
  await writeFile(join(dataDir, 'temporal-cli-0.9.9.sqlite'), 'of another version');
  const lines: string[] = [];
  await using _server = await start({ dataDir, progress: (line) => void lines.push(line) });
  expect(lines).toEqual([
    expect.stringMatching(
      /^temporal: the workflows kept here are of CLI 0\.9\.9, which CLI [\d.]+ cannot read; it starts with a new file$/,
    ),
    expect.stringMatching(/^temporal: ready in \d+\.\d s on port \d+$/),
  ]);
  const files = (await readdir(dataDir)).filter((name) => name.endsWith('.sqlite'));
  expect(files).toHaveLength(2);
});

test('a server that cannot start reports the reason', async () => {
  const dataDir = await mkdtemp(join(folder, 'broken-'));
  await start({ dataDir }).then((server) => server[Symbol.asyncDispose]());
  const [file = ''] = (await readdir(dataDir)).filter((name) => name.endsWith('.sqlite'));
  await rm(join(dataDir, `${file}-wal`), { force: true });
  await writeFile(join(dataDir, file), 'not a database'.repeat(1000));
  await expect(start({ dataDir })).rejects.toThrow(
    /^temporal did not start: it ended with code 1\. Its log, .*temporal\.log, ends:\n.*not a database/s,
  );
});
