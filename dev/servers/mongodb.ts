import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { type Db, type Document, MongoClient, MongoServerError } from 'mongodb';
import { isRecord } from '../../lib/platform/error-code.ts';
import { type DataFolder, openDataFolder } from './data-folder.ts';
import { type GuardedProcess, type ProcessExit, startGuarded } from './guarded-process.ts';
import { requirePort } from './free-port.ts';
import { startTimeoutMs, waitForPort, waitUntilReady } from './wait-until-ready.ts';

export const replicaSetName = 'herald';
const commandTimeoutMs = 5000;
const notYetInitialized = 94;
// Documents in the transaction of a killed client stay locked this long instead of a minute.
const transactionLifetimeSeconds = 10;
const oplogMegabytes = 256;
const cacheGigabytes = { kept: 0.5, ephemeral: 0.25 };

interface MongodbOptions {
  readonly binary: string;
  /** Null: the data is removed when the server is disposed of. */
  readonly dataDir: string | null;
  /** On the loopback address; 0 picks a free one. */
  readonly port: number;
  readonly progress: (line: string) => void;
}

export interface RunningMongodb {
  readonly uri: string;
  readonly pid: number;
  readonly exited: Promise<ProcessExit>;
  [Symbol.asyncDispose](): Promise<void>;
}

/**
 * Starts a replica set of one (for transactions and change streams), on the data of an earlier run if there is any, and
 * waits until it accepts writes. Throws with the end of its log after 60 s.
 */
export async function startMongodb(options: MongodbOptions): Promise<RunningMongodb> {
  const startedAt = performance.now();
  const port = await requirePort(options.port);
  const folder = await openDataFolder(options.dataDir, 'mongodb');
  const server = await spawnMongod(options.binary, port, folder);
  const dispose = async (): Promise<void> => {
    // A clean shutdown takes a second to write the data.
    await (folder.isKept ? server.stop() : server.kill());
    await folder.discard();
  };
  try {
    await waitForPrimary(server, port);
  } catch (error) {
    await dispose();
    throw error;
  }
  const took = ((performance.now() - startedAt) / 1000).toFixed(1);
  options.progress(`mongodb: ready in ${took} s on port ${port}`);
  const { pid, exited } = server;
  return { uri: uriOf(port), pid, exited, [Symbol.asyncDispose]: dispose };
}

async function spawnMongod(
  binary: string,
  port: number,
  folder: DataFolder,
): Promise<GuardedProcess> {
  const dbPath = join(folder.path, 'data');
  await mkdir(dbPath, { recursive: true });
  const cache = folder.isKept ? cacheGigabytes.kept : cacheGigabytes.ephemeral;
  const args = mongodArgs({ dbPath, port, oplogMegabytes, cacheGigabytes: cache });
  return startGuarded({ name: 'mongod', binary, args, logFile: join(folder.path, 'mongod.log') });
}

interface MongodSettings {
  readonly dbPath: string;
  readonly port: number;
  readonly oplogMegabytes: number;
  readonly cacheGigabytes: number;
  readonly parameters?: readonly string[];
}

/** Returns the arguments of a member of the replica set on the loopback address. */
export function mongodArgs(settings: MongodSettings): string[] {
  const { dbPath, port, oplogMegabytes, cacheGigabytes, parameters = [] } = settings;
  return [
    ['--dbpath', dbPath],
    ['--port', String(port)],
    ['--bind_ip', '127.0.0.1', '--nounixsocket'],
    ['--replSet', replicaSetName, '--oplogSize', String(oplogMegabytes)],
    ['--wiredTigerCacheSizeGB', String(cacheGigabytes)],
    ['--setParameter', `transactionLifetimeLimitSeconds=${transactionLifetimeSeconds}`],
    ['--setParameter', 'diagnosticDataCollectionEnabled=false', '--quiet'],
    parameters.flatMap((parameter) => ['--setParameter', parameter]),
  ].flat();
}

async function waitForPrimary(server: GuardedProcess, port: number): Promise<void> {
  // The driver retries only twice per second, so check the port first.
  await waitForPort(server, port);
  const client = new MongoClient(uriOf(port), { serverSelectionTimeoutMS: commandTimeoutMs });
  try {
    const admin = client.db('admin');
    const host = `127.0.0.1:${port}`;
    await waitUntilReady(server, {
      check: async () => {
        await assertIsOurs(admin, server);
        return configureAndAsk(admin, host);
      },
      timeoutMs: startTimeoutMs,
    });
  } finally {
    await client.close();
  }
}

// If another mongod took the port first, its replica set must not be changed.
async function assertIsOurs(admin: Db, server: GuardedProcess): Promise<void> {
  const { pid }: Document = await admin.command({ serverStatus: 1 });
  if (pid !== server.pid) throw new Error(`another mongod (pid ${String(pid)}) has this port`);
}

async function configureAndAsk(admin: Db, host: string): Promise<true | undefined> {
  const config = await readReplicaSetConfig(admin);
  if (!config) {
    const members = [{ _id: 0, host }];
    await admin.command({ replSetInitiate: { _id: replicaSetName, members } });
  } else if (config.members[0].host !== host) {
    // The set remembers the port of the previous run, and no majority can agree on the new one.
    const members = [{ ...config.members[0], host }];
    const next = { ...config, members, version: config.version + 1 };
    await admin.command({ replSetReconfig: next, force: true });
  }
  const { isWritablePrimary } = await admin.command({ hello: 1 });
  return isWritablePrimary === true ? true : undefined;
}

interface ReplicaSetConfig {
  readonly version: number;
  readonly members: readonly [{ readonly host: string }];
}

async function readReplicaSetConfig(admin: Db): Promise<ReplicaSetConfig | undefined> {
  try {
    const { config }: Document = await admin.command({ replSetGetConfig: 1 });
    if (isSetOfOne(config)) return config;
  } catch (error) {
    if (error instanceof MongoServerError && error.code === notYetInitialized) return undefined;
    throw error;
  }
  throw new Error('the data belongs to a replica set of several members');
}

function isSetOfOne(config: unknown): config is ReplicaSetConfig {
  if (!isRecord(config) || typeof config['version'] !== 'number') return false;
  const { members } = config;
  return Array.isArray(members) && members.length === 1 && isRecord(members[0]);
}

// With a direct connection, this address need not match the address in the replica set.
function uriOf(port: number): string {
  return `mongodb://127.0.0.1:${port}/?directConnection=true`;
}
