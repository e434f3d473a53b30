// The embedded servers. MongoDB is a replica set of one, whose data survives crashes and changes of port. Temporal has
// namespaces that can be used immediately, and keeps workflows over restarts.
import { randomUUID } from 'node:crypto';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client, Connection } from '@temporalio/client';
import { MongoClient } from 'mongodb';
import { findBinaries } from '../../../dev/servers/find-binary.ts';
import { type RunningMongodb, startMongodb } from '../../../dev/servers/mongodb.ts';
import {
  type RunningTemporal,
  startTemporalDevServer,
  type TemporalDevServerOptions,
} from '../../../dev/servers/temporal.ts';

const quiet = () => undefined;
let binaries: Readonly<Record<'mongod' | 'temporal', string>>;
let folder: string;

beforeAll(async () => {
  binaries = await findBinaries(['mongod', 'temporal'], { progress: quiet });
  folder = await mkdtemp(join(tmpdir(), 'servers-test-'));
});

afterAll(() => rm(folder, { recursive: true }));

const openMongodb = (dataDir: string | null): Promise<RunningMongodb> =>
  startMongodb({ binary: binaries.mongod, dataDir, port: 0, progress: quiet });

async function withNotes<Result>(
  { uri }: RunningMongodb,
  use: (client: MongoClient) => Promise<Result>,
): Promise<Result> {
  const client = await MongoClient.connect(uri, { writeConcern: { w: 'majority', journal: true } });
  try {
    return await use(client);
  } finally {
    await client.close();
  }
}

const insertNote = (client: MongoClient) => client.db('test').collection('notes').insertOne({});
const countNotes = (client: MongoClient) => client.db('test').collection('notes').countDocuments();

test('data acknowledged before SIGKILL is still stored after a start on another port', async () => {
  const dataDir = join(folder, 'kept-notes');
  const first = await openMongodb(dataDir);
  await withNotes(first, insertNote);
  process.kill(first.pid, 'SIGKILL');
  expect(await first.exited).toEqual({ code: null, signal: 'SIGKILL' });
  expect(await readdir(join(dataDir, 'data'))).toContain('mongod.lock');

  await using second = await openMongodb(dataDir);
  expect(second.uri).not.toBe(first.uri);
  expect(await withNotes(second, countNotes)).toBe(1);
  await withNotes(second, insertNote);
  expect(await withNotes(second, countNotes)).toBe(2);
});

test('a server without a data folder supports transactions, and its data is removed with it', async () => {
  const server = await openMongodb(null);
  await withNotes(server, async (client) => {
    const notes = client.db('test').collection('notes');
    await client.withSession((session) =>
      session.withTransaction(async () => {
        await notes.insertOne({ n: 1 }, { session });
        await notes.insertOne({ n: 2 }, { session });
      }),
    );
    expect(await notes.countDocuments()).toBe(2);
  });
  const tempFolders = async () =>
    (await Promise.all([tmpdir(), '/dev/shm'].map((path) => readdir(path).catch(() => [])))).flat();
  const isOurs = (name: string) => name.startsWith(`agent-herald-${process.pid}-mongodb-`);
  expect((await tempFolders()).filter(isOurs)).toHaveLength(1);
  await server[Symbol.asyncDispose]();
  expect((await tempFolders()).filter(isOurs)).toEqual([]);
});

function openTemporal(options: Partial<TemporalDevServerOptions>): Promise<RunningTemporal> {
  return startTemporalDevServer({
    binary: binaries.temporal,
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
  await using server = await openTemporal({ namespaces: ['default', 'herald'] });
  await withConnection(server, async ({ workflowService }) => {
    for (const namespace of ['default', 'herald']) {
      const { config } = await workflowService.describeNamespace({ namespace });
      const seconds = Number(config?.workflowExecutionRetentionTtl?.seconds);
      expect({ namespace, days: seconds / 86_400 }).toEqual({ namespace, days: 7 });
    }
  });
});

test('a started workflow is still running after SIGKILL and a start on another port', async () => {
  const dataDir = join(folder, 'kept-workflows');
  const first = await openTemporal({ dataDir });
  const workflowId = await withConnection(first, (connection) =>
    startWorkflow(connection, 'herald'),
  );
  process.kill(first.pid, 'SIGKILL');
  expect(await first.exited).toEqual({ code: null, signal: 'SIGKILL' });

  await using second = await openTemporal({ dataDir, uiPort: 0 });
  expect(second.address).not.toBe(first.address);
  await withConnection(second, async (connection) => {
    const client = new Client({ connection, namespace: 'herald' });
    expect((await client.workflow.getHandle(workflowId).describe()).status.name).toBe('RUNNING');
    await startWorkflow(connection, 'herald');
  });
  const page = await fetch(second.uiUrl ?? '');
  expect(page.status).toBe(200);
});

test('data of another CLI version is not used, and this is reported', async () => {
  const dataDir = await mkdtemp(join(folder, 'versions-'));
  await writeFile(join(dataDir, 'temporal-cli-0.9.9.sqlite'), 'of another version');
  const lines: string[] = [];
  await using _server = await openTemporal({ dataDir, progress: (line) => void lines.push(line) });
  expect(lines).toEqual([
    expect.stringMatching(
      /^temporal: the workflows kept here are of CLI 0\.9\.9, which CLI [\d.]+ cannot read; it starts with a new file$/,
    ),
    expect.stringMatching(/^temporal: ready in \d+\.\d s on port \d+$/),
  ]);
  const files = (await readdir(dataDir)).filter((name) => name.endsWith('.sqlite'));
  expect(files).toHaveLength(2);
});
