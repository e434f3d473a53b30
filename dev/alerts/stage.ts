// The service with servers of its own that can be stopped, a receiver that can fail, and a load.
import { once } from 'node:events';
import { mkdir } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { prepareServers } from '../../cli/setup/prepare-servers.ts';
import { readConfig } from '../../lib/config/config.ts';
import { Disposal } from '../../lib/platform/disposal.ts';
import type { NewApp } from '../../lib/access/create-app-with-key.ts';
import { writeWorkflowBundle } from '../../worker/bundle-workflows.ts';
import { findBinaries } from '../servers/find-binary.ts';
import { pickPorts } from '../servers/free-port.ts';
import { startMongodb } from '../servers/mongodb.ts';
import { startTemporalDevServer } from '../servers/temporal.ts';
import { superviseChild } from '../start/child-process.ts';
import { findOrCreateDevApp } from '../start/dev-app.ts';
import { makeDevSecrets } from '../start/dev-secrets.ts';
import { type Gate, startGate } from './gate.ts';
import { type Calls, makeCalls } from './load.ts';

export const roles = ['api', 'worker'] as const;
export type Role = (typeof roles)[number];

/** A server that is stopped and started again on the same port and data. */
interface StoppableServer {
  stop(): Promise<void>;
  start(): Promise<void>;
}

export interface Stage extends AsyncDisposable {
  mongodb: StoppableServer;
  temporal: StoppableServer;
  /** Between the api and Temporal; the worker has a connection of its own. */
  apiToTemporal: Gate;
  /** What it answers to every request. */
  receiver: { status: number };
  metricsPorts: Record<Role, number>;
  /** Sends it to the process of a role. */
  signal(role: Role, signal: 'SIGSTOP' | 'SIGCONT'): void;
  load: Calls;
}

interface StageOptions {
  changesPerSecond: number;
  /** The wait between attempts: short, so that what failed arrives soon after a fault. */
  retryEvery: string;
}

const retriesMax = 20;

export async function openStage(dataDir: string, options: StageOptions): Promise<Stage> {
  const open = new Disposal();
  try {
    return await openInto(open, dataDir, options);
  } catch (error) {
    await open[Symbol.asyncDispose]();
    throw error;
  }
}

async function openInto(
  open: Disposal,
  dataDir: string,
  { changesPerSecond, retryEvery }: StageOptions,
): Promise<Stage> {
  await mkdir(dataDir, { recursive: true });
  const [port = 0, mongodbPort = 0, temporalPort = 0, api = 0, worker = 0] = await pickPorts(
    Array.from({ length: 5 }, () => 0),
  );
  const servers = await startServers(open, dataDir, { mongodbPort, temporalPort });
  const apiToTemporal = open.use(await startGate(`127.0.0.1:${temporalPort}`));
  const receiver = open.use(await startReceiver());
  const bundlePath = join(dataDir, 'workflow-bundle.js');
  await writeWorkflowBundle(bundlePath);
  const env = {
    ...process.env,
    ...makeDevSecrets(),
    PORT: String(port),
    HERALD_HOST: '127.0.0.1',
    HERALD_PUBLIC_URL: `http://localhost:${port}`,
    HERALD_ALLOW_HTTP_WEBHOOKS: 'true',
    HERALD_ALLOW_CIDRS: '127.0.0.0/8',
    HERALD_WEBHOOK_PORTS: 'any',
    HERALD_RETRY_SCHEDULE: Array.from({ length: retriesMax }, () => retryEvery).join(','),
    HERALD_WORKFLOW_BUNDLE: bundlePath,
    HERALD_LOG_LEVEL: 'warn',
    MONGODB_URI: servers.mongodbUri,
    TEMPORAL_ADDRESS: `127.0.0.1:${temporalPort}`,
    TEMPORAL_NAMESPACE: 'default',
  };
  const config = readConfig(env);
  await prepareServers(config);
  const app: NewApp = await findOrCreateDevApp(config, null);
  const metricsPorts = { api, worker };
  const pids: Record<Role, number> = { api: 0, worker: 0 };
  const addresses = { api: apiToTemporal.address, worker: env.TEMPORAL_ADDRESS };
  const logs = join(dataDir, 'logs');
  for (const role of roles) {
    const main = fileURLToPath(new URL(`../../${role}/main.ts`, import.meta.url));
    const child = await superviseChild({
      name: role,
      args: ['--import', 'tsx', main],
      env: {
        ...env,
        TEMPORAL_ADDRESS: addresses[role],
        HERALD_METRICS_PORT: String(metricsPorts[role]),
      },
      logPath: join(logs, `${role}.log`),
      progress: () => undefined,
      onStart: (pid) => (pids[role] = pid),
    });
    // A process that is frozen would not end by itself.
    open.defer(async () => process.kill(pids[role], 'SIGCONT') && child[Symbol.asyncDispose]());
  }
  const target = { apiUrl: `http://127.0.0.1:${port}`, app, receiverUrl: receiver.url };
  const load = open.use(await makeCalls(target, { changesPerSecond }));
  return {
    ...servers,
    apiToTemporal,
    receiver: receiver.answer,
    metricsPorts,
    signal: (role, name) => void process.kill(pids[role], name),
    load,
    [Symbol.asyncDispose]: () => open[Symbol.asyncDispose](),
  };
}

async function startServers(
  open: Disposal,
  dataDir: string,
  { mongodbPort, temporalPort }: { mongodbPort: number; temporalPort: number },
): Promise<Pick<Stage, 'mongodb' | 'temporal'> & { mongodbUri: string }> {
  const progress = (): void => undefined;
  const binaries = await findBinaries(['mongod', 'temporal'], { env: process.env, progress });
  const kept = (name: string) => ({ dataDir: join(dataDir, name), progress });
  const startDatabase = () =>
    startMongodb({ ...kept('mongodb'), binary: binaries.mongod, port: mongodbPort });
  const startTemporal = () =>
    startTemporalDevServer({
      ...kept('temporal'),
      binary: binaries.temporal,
      port: temporalPort,
      uiPort: null,
      namespaces: ['default'],
    });
  const [mongodb, temporal] = await Promise.all([
    startDatabase().then((server) => stoppable(open, server, startDatabase)),
    startTemporal().then((server) => stoppable(open, server, startTemporal)),
  ]);
  const mongodbUri = `mongodb://127.0.0.1:${mongodbPort}/?replicaSet=herald`;
  return { mongodb, temporal, mongodbUri };
}

function stoppable(
  open: Disposal,
  first: AsyncDisposable,
  start: () => Promise<AsyncDisposable>,
): StoppableServer {
  let server: AsyncDisposable | null = first;
  const stop = async (): Promise<void> => {
    await server?.[Symbol.asyncDispose]();
    server = null;
  };
  open.defer(stop);
  return {
    stop,
    async start() {
      server ??= await start();
    },
  };
}

async function startReceiver(): Promise<
  AsyncDisposable & { url: string; answer: { status: number } }
> {
  const answer = { status: 200 };
  const server = createServer((request, response) => {
    request.resume();
    request.on('end', () => response.writeHead(answer.status).end());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    answer,
    async [Symbol.asyncDispose]() {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}
