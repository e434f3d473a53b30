// Starts a development installation: servers, application, api and worker, in that order.
import { once } from 'node:events';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readConfig } from '../../lib/config/config.ts';
import { Disposal } from '../../lib/platform/disposal.ts';
import { findBinaries } from '../servers/find-binary.ts';
import { runProgram } from '../servers/run-program.ts';
import { pickPorts, requirePort } from '../servers/free-port.ts';
import { type RunningMongodb, startMongodb } from '../servers/mongodb.ts';
import { type RunningTemporal, startTemporalDevServer } from '../servers/temporal.ts';
import { useStarting } from '../servers/use-starting.ts';
import { prepareServers } from '../../cli/setup/prepare-servers.ts';
import { writeWorkflowBundle } from '../../worker/bundle-workflows.ts';
import { superviseChild } from './child-process.ts';
import { findOrCreateDevAdmin } from './dev-admin.ts';
import { findOrCreateDevApp } from './dev-app.ts';
import type { DevFile } from '../../lib/config/dev-file.ts';
import { removeDevFiles, writeDevFiles } from './dev-files.ts';
import { loadDevSecrets, makeDevSecrets } from './dev-secrets.ts';
import { supervise, type Supervised } from './supervise.ts';

interface LaunchOptions {
  /** Its settings, even empty ones, override development defaults. */
  env: NodeJS.ProcessEnv;
  dataDir: string;
  /** Keeps nothing: servers in memory, new secrets. */
  ephemeral: boolean;
  progress: (line: string) => void;
  /** Ends a start in progress when it is aborted. */
  signal?: AbortSignal;
}

interface Launched extends AsyncDisposable {
  dev: DevFile;
  /** Resolves with a sentence when a server has ended and is not restarted. */
  lost: Promise<string>;
}

// Deliveries produce much short-lived garbage, which a larger nursery need not copy.
const heapFlags = ['--max-semi-space-size=64'];

const consoleBuild = fileURLToPath(new URL('../../console/build.mjs', import.meta.url));
const consoleBuildTimeoutMs = 120_000;

const preferredPorts = {
  api: 3000,
  mongodb: 27_017,
  temporal: 7233,
  temporalUi: 8233,
  // The port that Prometheus lists for OpenTelemetry, and the next one.
  apiMetrics: 9464,
  workerMetrics: 9465,
};

type Ports = typeof preferredPorts;

/** If something cannot start, ends what it has started, and throws one clear sentence or the signal's reason. */
export async function launch(options: LaunchOptions): Promise<Launched> {
  const open = new Disposal();
  const failing = new AbortController();
  const signal = AbortSignal.any([failing.signal, ...(options.signal ? [options.signal] : [])]);
  try {
    const launching = launchInto(open, options, signal);
    return await Promise.race([launching, reasonOfAbort(signal)]);
  } catch (error) {
    // Otherwise the parts that are still running would start more.
    failing.abort();
    await open[Symbol.asyncDispose]();
    throw error;
  }
}

async function reasonOfAbort(signal: AbortSignal): Promise<never> {
  if (!signal.aborted) await once(signal, 'abort');
  throw signal.reason;
}

async function launchInto(
  open: Disposal,
  options: LaunchOptions,
  signal: AbortSignal,
): Promise<Launched> {
  const { dataDir, ephemeral, env } = options;
  await mkdir(dataDir, { recursive: true });
  const ports = await choosePorts(options);
  const bundlePath = join(dataDir, 'workflow-bundle.js');
  const pids: DevFile['pids'] = { api: 0, worker: 0, mongodb: null, temporal: null };
  // Each restart changes a process ID in the file.
  let dev: DevFile | null = null;
  const saved = (): void => {
    if (dev !== null)
      writes = writes.then(() => writeDevFiles(dataDir, { ...dev, pids } as DevFile));
  };
  let writes = Promise.resolve();
  // Scripts take the files as a sign that the service is running.
  open.defer(async () => {
    await writes;
    await removeDevFiles(dataDir);
  });

  const [servers] = await Promise.all([
    startServers(open, options, { ports, pids, onChange: saved, signal }),
    writeWorkflowBundle(bundlePath),
    runProgram(process.execPath, [consoleBuild], { timeoutMs: consoleBuildTimeoutMs }),
  ]);
  const childEnv = await makeChildEnv(options, { servers, port: ports.api, bundlePath });
  const config = readConfig(childEnv);
  await prepareServers(config);
  const appPath = ephemeral ? null : join(dataDir, 'app.json');
  const app = await findOrCreateDevApp(config, appPath);
  const startRole = async (role: Role): Promise<Supervised> => {
    const onStart = (pid: number): void => {
      pids[role] = pid;
      saved();
    };
    return useStarting(open, superviseRole(role, options, { env: childEnv, ports, onStart }));
  };
  const adminPath = ephemeral ? null : join(dataDir, 'admin.json');
  const isOwnDatabase = servers.env['MONGODB_URI'] !== undefined;
  // Before the roles, because its failure would leave their processes behind.
  const admin = await findOrCreateDevAdmin(config, { path: adminPath, isOwnDatabase });
  signal.throwIfAborted();
  const roles = await Promise.all([startRole('api'), startRole('worker')]);
  signal.throwIfAborted();

  dev = {
    apiUrl: `http://localhost:${ports.api}`,
    temporalUiUrl: servers.temporalUiUrl,
    temporalAddress: config.temporal.address,
    mongodbUri: config.mongodb.uri,
    keyPepper: config.keyPepper,
    ...app,
    consoleUrl: `http://localhost:${ports.api}/console`,
    adminEmail: admin?.email ?? null,
    adminPassword: admin?.password ?? null,
    metricsUrls: hasMetrics(env) ? metricsUrlsOf(ports) : null,
    pids,
  };
  saved();
  await writes;
  return {
    dev,
    lost: Promise.race([servers.lost, ...roles.map((role) => role.lost)]),
    [Symbol.asyncDispose]: () => open[Symbol.asyncDispose](),
  };
}

async function makeChildEnv(
  { dataDir, ephemeral, env }: LaunchOptions,
  facts: { servers: StartedServers; port: number; bundlePath: string },
): Promise<NodeJS.ProcessEnv> {
  const { servers, port, bundlePath } = facts;
  const secrets = ephemeral ? makeDevSecrets() : await loadDevSecrets(dataDir);
  return {
    ...devDefaults(port),
    ...secrets,
    ...(servers.temporalUiUrl === null ? {} : { HERALD_TEMPORAL_UI_URL: servers.temporalUiUrl }),
    ...env,
    ...servers.env,
    PORT: String(port),
    HERALD_WORKFLOW_BUNDLE: bundlePath,
  };
}

type Role = 'api' | 'worker';

function superviseRole(
  role: Role,
  { dataDir, progress }: LaunchOptions,
  { env, ports, onStart }: { env: NodeJS.ProcessEnv; ports: Ports; onStart: (pid: number) => void },
): Promise<Supervised> {
  const main = fileURLToPath(new URL(`../../${role}/main.ts`, import.meta.url));
  const args = [...heapFlags, '--import', 'tsx', main];
  const logPath = join(dataDir, 'logs', `${role}.log`);
  const ownEnv = hasMetrics(env)
    ? { ...env, HERALD_METRICS_PORT: String(ports[`${role}Metrics`]) }
    : env;
  return superviseChild({ name: role, args, logPath, progress, env: ownEnv, onStart });
}

async function choosePorts({ env, progress }: LaunchOptions): Promise<Ports> {
  const requested = env['PORT'];
  const wanted = { ...preferredPorts };
  if (requested) wanted.api = await requirePort(Number(requested), { setting: 'PORT' });
  const names = Object.keys(wanted);
  const isAny = requested === '0';
  const picked = await pickPorts(isAny ? names.map(() => 0) : Object.values(wanted));
  const ports = Object.fromEntries(names.map((name, n) => [name, picked[n] ?? 0])) as Ports;
  if (!isAny && ports.api !== wanted.api) {
    progress(
      `port ${wanted.api} is in use, so the API uses ${ports.api}; set PORT to choose another`,
    );
  }
  return ports;
}

function metricsUrlsOf({ apiMetrics, workerMetrics }: Ports): DevFile['metricsUrls'] {
  const urlOf = (port: number): string => `http://localhost:${port}/metrics`;
  return { api: urlOf(apiMetrics), worker: urlOf(workerMetrics) };
}

// On unless it is set to empty. Each process gets its own port.
function hasMetrics(env: NodeJS.ProcessEnv): boolean {
  return env['HERALD_METRICS_PORT'] !== '';
}

/** Allows receivers on this machine, over plain http. */
function devDefaults(apiPort: number): Record<string, string> {
  return {
    HERALD_HOST: '127.0.0.1',
    HERALD_DRAIN_FOR: '0s',
    HERALD_PUBLIC_URL: `http://localhost:${apiPort}`,
    HERALD_ALLOW_HTTP_WEBHOOKS: 'true',
    HERALD_ALLOW_CIDRS: '127.0.0.0/8,::1/128',
    HERALD_WEBHOOK_PORTS: 'any',
  };
}

interface StartedServers {
  env: Record<string, string>;
  temporalUiUrl: string | null;
  lost: Promise<string>;
}

/** Starts the servers that the environment does not name. */
async function startServers(
  open: Disposal,
  options: LaunchOptions,
  facts: { ports: Ports; pids: DevFile['pids']; onChange: () => void; signal: AbortSignal },
): Promise<StartedServers> {
  const { env, progress, ephemeral } = options;
  const { ports, pids, onChange, signal } = facts;
  const needsMongodb = !env['MONGODB_URI'];
  const needsTemporal = !env['TEMPORAL_ADDRESS'];
  const names = [
    ...(needsMongodb ? ['mongod' as const] : []),
    ...(needsTemporal ? ['temporal' as const] : []),
  ];
  const binaries = await findBinaries(names, { env, progress });
  signal.throwIfAborted();
  const started: Record<string, string> = {};
  let temporalUiUrl: string | null = null;

  const folder = (name: string): string | null => (ephemeral ? null : join(options.dataDir, name));
  const common = { restartable: !ephemeral, firstWaitMs: 0, progress };
  const startMongodbHere = (): Promise<RunningMongodb> =>
    startMongodb({
      binary: binaries.mongod,
      dataDir: folder('mongodb'),
      port: ports.mongodb,
      progress: () => undefined,
    });
  const startTemporalHere = (): Promise<RunningTemporal> =>
    startTemporalDevServer({
      binary: binaries.temporal,
      dataDir: folder('temporal'),
      port: ports.temporal,
      uiPort: ports.temporalUi,
      namespaces: [env['TEMPORAL_NAMESPACE'] || 'default'],
      progress: () => undefined,
    });
  const keepMongodb = async () =>
    supervise(await startMongodbHere(), {
      name: 'MongoDB',
      start: startMongodbHere,
      onStart: ({ uri, pid }) => {
        started['MONGODB_URI'] = uri;
        pids.mongodb = pid;
        onChange();
      },
      ...common,
    });
  const keepTemporal = async () =>
    supervise(await startTemporalHere(), {
      name: 'Temporal',
      start: startTemporalHere,
      onStart: ({ address, uiUrl, pid }) => {
        started['TEMPORAL_ADDRESS'] = address;
        temporalUiUrl = uiUrl;
        pids.temporal = pid;
        onChange();
      },
      ...common,
    });
  const supervised = await Promise.all([
    ...(needsMongodb ? [useStarting(open, keepMongodb())] : []),
    ...(needsTemporal ? [useStarting(open, keepTemporal())] : []),
  ]);
  const lost = Promise.race(supervised.map((server) => server.lost));
  return { env: started, temporalUiUrl, lost };
}
