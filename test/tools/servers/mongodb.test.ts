// The embedded MongoDB: a replica set of one, whose data survives crashes and changes of port.
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { MongoClient } from 'mongodb';
import { type RunningMongodb, startMongodb } from '../../../dev/servers/mongodb.ts';
import { foundServers, quiet } from './found-servers.ts';

let binary: string;
let folder: string;

beforeAll(async () => {
  binary = (await foundServers()).mongod;
  folder = await mkdtemp(join(tmpdir(), 'mongodb-test-'));
});

afterAll(async () => {
  await rm(folder, { recursive: true });
});

function start(dataDir: string | null, port = 0): Promise<RunningMongodb> {
  return startMongodb({ binary, dataDir, port, progress: quiet });
}

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
  const dataDir = join(folder, 'kept');
  const first = await start(dataDir);
  await withNotes(first, insertNote);
  process.kill(first.pid, 'SIGKILL');
  expect(await first.exited).toEqual({ code: null, signal: 'SIGKILL' });
  expect(await readdir(join(dataDir, 'data'))).toContain('mongod.lock');

  await using second = await start(dataDir);
  expect(second.uri).not.toBe(first.uri);
  expect(await withNotes(second, countNotes)).toBe(1);
  await withNotes(second, insertNote);
  expect(await withNotes(second, countNotes)).toBe(2);
});

test('a second mongod on the same data fails with its log, and the first keeps running', async () => {
  const dataDir = join(folder, 'shared');
  await using first = await start(dataDir);
  await expect(start(dataDir)).rejects.toThrow(/^mongod did not start: .*mongod\.log, ends:\n/s);
  await withNotes(first, insertNote);
});

test('a server without a data folder supports transactions, and its data is removed with it', async () => {
  const messages: string[] = [];
  const progress = (line: string) => void messages.push(line);
  const server = await startMongodb({ binary, dataDir: null, port: 0, progress });
  expect(messages).toEqual([expect.stringMatching(/^mongodb: ready in \d+\.\d s on port \d+$/)]);
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

test('a port in use is refused before anything is started', async () => {
  const holder = createServer().listen(0, '127.0.0.1');
  await once(holder, 'listening');
  const address = holder.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  const dataDir = join(folder, 'never-made');
  await expect(start(dataDir, address.port)).rejects.toThrow(
    `port ${address.port} is already in use; stop what uses it, or ask for another port`,
  );
  expect(existsSync(dataDir)).toBe(false);
  holder.close();
});

test('an open transaction of a lost client is aborted within ten seconds', async () => {
  await using server = await start(null);
  const lifetime = await withNotes(server, (client) =>
    client.db('admin').command({ getParameter: 1, transactionLifetimeLimitSeconds: 1 }),
  );
  expect(lifetime).toMatchObject({ transactionLifetimeLimitSeconds: 10 });
});
