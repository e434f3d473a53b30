// The service under the bench: started here with embedded or named servers, or one that runs already.
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { Client, Connection } from '@temporalio/client';
import { type Config, readConfig } from '../../lib/config/config.ts';
import { Disposal } from '../../lib/platform/disposal.ts';
import { connectStore, type Store } from '../../lib/mongo/connect.ts';
import { type DevFile, readDevFile } from '../../lib/config/dev-file.ts';
import { makeDevSecrets } from '../start/dev-secrets.ts';
import { launch } from '../start/launch.ts';
import type { ProcessGroups } from './process-usage.ts';
import type { Settings } from './settings.ts';

export interface Service extends AsyncDisposable {
  /** False for a service that ran already: its processes are not the bench's to stop. */
  isOwn: boolean;
  /** True where the servers keep their data in files, so that one that was killed comes back. */
  isKept: boolean;
  apiUrl: string;
  config: Config;
  store: Store;
  temporal: Client;
  /** What a further process of the service needs in its environment. */
  env: NodeJS.ProcessEnv;
  dataDir: string;
  /** The processes as they are now; a restart changes them. */
  groups(): ProcessGroups;
  /** Resolves, with a sentence, when a server is lost for good. */
  lost: Promise<string>;
}

// What `npm start` allows for development, said here in full because further processes get it too.
const receiversOnThisMachine = {
  HERALD_HOST: '127.0.0.1',
  HERALD_ALLOW_HTTP_WEBHOOKS: 'true',
  HERALD_ALLOW_CIDRS: '127.0.0.0/8,::1/128',
  HERALD_WEBHOOK_PORTS: 'any',
};

/**
 * Starts a service with fresh data on free ports, the way `npm start` does. Servers that the
 * environment names are used, with a database of the bench's own that is dropped at the end.
 */
export async function startService({
  kept,
  say,
}: {
  kept: boolean;
  say: (line: string) => void;
}): Promise<Service> {
  const open = new Disposal();
  try {
    const dataDir = await mkdtemp(join(tmpdir(), 'herald-bench-'));
    open.defer(() => rm(dataDir, { recursive: true, force: true }));
    const env = {
      ...receiversOnThisMachine,
      ...makeDevSecrets(),
      // All callers, the slow ones too, have the address of this machine.
      HERALD_CONNECTIONS_PER_ADDRESS: '0',
      HERALD_DATABASE: `herald_bench_${Date.now()}`,
      ...process.env,
      PORT: '0',
    };
    // Only what the bench named itself; a database that somebody named is theirs.
    if (process.env['MONGODB_URI'] && !process.env['HERALD_DATABASE']) {
      open.defer(() => dropDatabase(readConfig(env).mongodb));
    }
    const launched = await launch({ env, dataDir, ephemeral: !kept, progress: say });
    open.use(launched);
    const { dev } = launched;
    const childEnv = {
      ...env,
      MONGODB_URI: dev.mongodbUri,
      TEMPORAL_ADDRESS: dev.temporalAddress,
      HERALD_PUBLIC_URL: dev.apiUrl,
      HERALD_WORKFLOW_BUNDLE: join(dataDir, 'workflow-bundle.js'),
    };
    const clients = await connectClients(open, readConfig(childEnv));
    return {
      ...clients,
      isOwn: true,
      isKept: kept,
      apiUrl: dev.apiUrl,
      env: childEnv,
      dataDir,
      groups: () => groupsOf(dev.pids),
      lost: launched.lost,
      [Symbol.asyncDispose]: () => open[Symbol.asyncDispose](),
    };
  } catch (error) {
    await open[Symbol.asyncDispose]();
    throw error;
  }
}

/** Uses a service started by `npm start`, told by its dev.json; the secrets are in the same folder. */
async function useService(path: string): Promise<Service> {
  const dev = await readDevFile(resolve(path));
  if (dev === null) throw new Error(`no service runs here: ${path} is not there`);
  const dataDir = dirname(resolve(path));
  const env = {
    ...receiversOnThisMachine,
    ...(await readSecrets(join(dataDir, 'secrets.json'))),
    ...process.env,
    MONGODB_URI: dev.mongodbUri,
    TEMPORAL_ADDRESS: dev.temporalAddress,
  };
  const open = new Disposal();
  try {
    const clients = await connectClients(open, readConfig(env));
    return {
      ...clients,
      isOwn: false,
      isKept: true,
      apiUrl: dev.apiUrl,
      env,
      dataDir,
      groups: () => groupsOf(dev.pids),
      lost: new Promise(() => undefined),
      [Symbol.asyncDispose]: () => open[Symbol.asyncDispose](),
    };
  } catch (error) {
    await open[Symbol.asyncDispose]();
    throw error;
  }
}

/** Opens the service that the settings ask for. */
export async function openService(
  { servicePath, kept }: Pick<Settings, 'servicePath' | 'kept'>,
  say: (line: string) => void,
): Promise<Service> {
  return servicePath === null ? startService({ kept, say }) : useService(servicePath);
}

async function dropDatabase(settings: Config['mongodb']): Promise<void> {
  const store = await connectStore(settings);
  await store.db.dropDatabase();
  await store[Symbol.asyncDispose]();
}

async function readSecrets(path: string): Promise<Record<string, string>> {
  try {
    return JSON.parse(await readFile(path, 'utf8')) as Record<string, string>;
  } catch {
    // Then they are in the environment, or readConfig says which are missing.
    return {};
  }
}

async function connectClients(
  open: Disposal,
  config: Config,
): Promise<Pick<Service, 'config' | 'store' | 'temporal'>> {
  const store = open.use(await connectStore(config.mongodb));
  const { address, namespace, connectionOptions } = config.temporal;
  const connection = await Connection.connect({ ...connectionOptions, address });
  open.defer(() => connection.close());
  return { config, store, temporal: new Client({ connection, namespace }) };
}

function groupsOf(pids: DevFile['pids']): ProcessGroups {
  return {
    api: [pids.api],
    worker: [pids.worker],
    mongodb: pids.mongodb === null ? [] : [pids.mongodb],
    temporal: pids.temporal === null ? [] : [pids.temporal],
  };
}
