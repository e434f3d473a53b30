// The service under load: started here with embedded or named servers, or a running one.
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { Client, Connection } from '@temporalio/client';
import { type Config, readConfig } from '../../lib/config/config.ts';
import type { Disposal } from '../../lib/platform/disposal.ts';
import { connectStore, type Store } from '../../lib/mongo/connect.ts';
import { type DevFile, readDevFile } from '../../lib/config/dev-file.ts';
import { makeDevSecrets } from '../start/dev-secrets.ts';
import { launch } from '../start/launch.ts';
import type { ProcessGroups } from './process-usage.ts';
import { scrape } from './scrape.ts';
import type { Settings } from './settings.ts';

export interface Service {
  /** False for a running service, whose processes the bench must not stop. */
  isOwn: boolean;
  /** True where the servers keep their data in files, and so survive a kill. */
  isKept: boolean;
  apiUrl: string;
  config: Config;
  store: Store;
  temporal: Client;
  /** The environment of further processes of the service. */
  env: NodeJS.ProcessEnv;
  dataDir: string;
  /** The current processes; a restart changes them. */
  groups(): ProcessGroups;
  /** Resolves with the reason when a server is lost for good. */
  lost: Promise<string>;
}

// To store and remove a million documents, and to write them out, takes minutes.
const untimed = { socketTimeoutMs: 0 };

// What `npm start` allows for development; further processes need it too.
const receiversOnThisMachine = {
  HERALD_HOST: '127.0.0.1',
  HERALD_ALLOW_HTTP_WEBHOOKS: 'true',
  HERALD_ALLOW_CIDRS: '127.0.0.0/8,::1/128',
  HERALD_WEBHOOK_PORTS: 'any',
};

/** Opens the service that the settings ask for; closing `open` ends it. */
export async function openService(
  open: Disposal,
  {
    servicePath,
    kept,
    env = {},
  }: Pick<Settings, 'servicePath' | 'kept'> & { env?: NodeJS.ProcessEnv },
  say: (line: string) => void,
): Promise<Service> {
  return servicePath === null
    ? startService(open, { kept, env, say })
    : useService(open, servicePath);
}

// Starts it as `npm start` does, with fresh data on free ports. Servers that the environment names are
// used, with a database of the bench that is dropped at the end.
async function startService(
  open: Disposal,
  { kept, env: asked, say }: { kept: boolean; env: NodeJS.ProcessEnv; say: (line: string) => void },
): Promise<Service> {
  const dataDir = await mkdtemp(join(tmpdir(), 'herald-bench-'));
  open.defer(() => rm(dataDir, { recursive: true, force: true }));
  const env = {
    ...receiversOnThisMachine,
    ...makeDevSecrets(),
    // All callers, the slow ones too, have the address of this machine.
    HERALD_CONNECTIONS_PER_ADDRESS: '0',
    HERALD_DATABASE: `herald_bench_${Date.now()}`,
    ...process.env,
    ...asked,
    PORT: '0',
  };
  // A database that the user named is not dropped.
  if (process.env['MONGODB_URI'] && !process.env['HERALD_DATABASE']) {
    open.defer(() => dropDatabase(readConfig(env).mongodb));
  }
  const launched = open.use(await launch({ env, dataDir, ephemeral: !kept, progress: say }));
  const { dev, lost } = launched;
  const ending = new AbortController();
  const scraping = scrape(Object.values(dev.metricsUrls ?? {}), ending.signal);
  open.defer(async () => {
    ending.abort();
    await scraping;
  });
  const childEnv = {
    ...env,
    MONGODB_URI: dev.mongodbUri,
    TEMPORAL_ADDRESS: dev.temporalAddress,
    HERALD_PUBLIC_URL: dev.apiUrl,
    HERALD_WORKFLOW_BUNDLE: join(dataDir, 'workflow-bundle.js'),
  };
  const connected = await connectClients(open, dev, childEnv);
  return { ...connected, isOwn: true, isKept: kept, dataDir, lost };
}

// The secrets are in the folder of the dev.json.
async function useService(open: Disposal, path: string): Promise<Service> {
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
  const lost = new Promise<string>(() => undefined);
  return { ...(await connectClients(open, dev, env)), isOwn: false, isKept: true, dataDir, lost };
}

async function dropDatabase(settings: Config['mongodb']): Promise<void> {
  const store = await connectStore(settings, untimed);
  await store.db.dropDatabase();
  await store[Symbol.asyncDispose]();
}

async function readSecrets(path: string): Promise<Record<string, string>> {
  try {
    return JSON.parse(await readFile(path, 'utf8')) as Record<string, string>;
  } catch {
    // Then the environment has them, or readConfig reports the missing ones.
    return {};
  }
}

async function connectClients(
  open: Disposal,
  { apiUrl, pids }: DevFile,
  env: NodeJS.ProcessEnv,
): Promise<Pick<Service, 'config' | 'store' | 'temporal' | 'apiUrl' | 'env' | 'groups'>> {
  const config = readConfig(env);
  const store = open.use(await connectStore(config.mongodb, untimed));
  const { address, namespace, connectionOptions } = config.temporal;
  const connection = await Connection.connect({ ...connectionOptions, address });
  open.defer(() => connection.close());
  const temporal = new Client({ connection, namespace });
  return { config, store, temporal, apiUrl, env, groups: () => groupsOf(pids) };
}

function groupsOf(pids: DevFile['pids']): ProcessGroups {
  return {
    api: [pids.api],
    worker: [pids.worker],
    mongodb: pids.mongodb === null ? [] : [pids.mongodb],
    temporal: pids.temporal === null ? [] : [pids.temporal],
  };
}
