import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { Connection } from '@temporalio/client';
import { type DataFolder, openDataFolder } from './data-folder.ts';
import { pickPorts, requirePort } from './free-port.ts';
import { type GuardedProcess, type ProcessExit, startGuarded } from './guarded-process.ts';
import { runProgram } from './run-program.ts';
import { ensureNamespace } from './temporal-namespace.ts';
import { startTimeoutMs, waitForPort, waitUntilReady } from './wait-until-ready.ts';

// By default, new tasks of the only shard are read 20 times per second. Above about six workflows per second, each step
// would wait up to 50 ms.
const taskReadsPerSecond = 200;
/** For servers with few shards. */
export const fewShardsConfig = {
  'frontend.enableServerVersionCheck': false,
  'history.transferProcessorMaxPollRPS': taskReadsPerSecond,
  'history.visibilityProcessorMaxPollRPS': taskReadsPerSecond,
  'history.timerProcessorMaxPollRPS': taskReadsPerSecond,
  // Applications take turns in the queues of activities.
  'matching.enableFairness': true,
} as const;
const dynamicConfig = Object.entries(fewShardsConfig).map(([name, value]) => `${name}=${value}`);

const startAttemptsMax = 3;
const earlyEndMs = 10_000;
const connectTimeoutMs = 2000;
const versionTimeoutMs = 15_000;
const dataFilePattern = /^temporal-cli-(.+)\.sqlite$/;

export interface TemporalDevServerOptions {
  readonly binary: string;
  /** Null keeps the data in memory only. */
  readonly dataDir: string | null;
  /** The gRPC port on the loopback address. 0 picks a free one. */
  readonly port: number;
  /** 0 picks a free one. Null starts no Web UI. */
  readonly uiPort: number | null;
  readonly namespaces: readonly string[];
  readonly progress: (line: string) => void;
}

export interface RunningTemporal {
  readonly address: string;
  readonly uiUrl: string | null;
  readonly pid: number;
  readonly exited: Promise<ProcessExit>;
  [Symbol.asyncDispose](): Promise<void>;
}

/** Returns once workflows can start in all namespaces. Throws with the end of its log after 60 s. */
export async function startTemporalDevServer(
  options: TemporalDevServerOptions,
): Promise<RunningTemporal> {
  for (let attempt = 1; ; attempt += 1) {
    const startedAt = performance.now();
    try {
      return await startOnce(options, startedAt);
    } catch (error) {
      // It may lose a port that it picked itself to another process. A restart picks others.
      const endedEarly = performance.now() - startedAt < earlyEndMs;
      if (attempt === startAttemptsMax || !endedEarly) throw error;
    }
  }
}

async function startOnce(
  options: TemporalDevServerOptions,
  startedAt: number,
): Promise<RunningTemporal> {
  const ports = await choosePorts(options);
  const folder = await openDataFolder(options.dataDir, 'temporal');
  const server = await spawnTemporal(options, ports, folder);
  const dispose = async (): Promise<void> => {
    // A clean shutdown takes a second to write the data.
    await (folder.isKept ? server.stop() : server.kill());
    await folder.discard();
  };
  try {
    await waitForFrontend(server, ports.port, options);
    if (ports.uiPort !== null) await waitForPort(server, ports.uiPort);
  } catch (error) {
    await dispose();
    throw error;
  }
  const took = ((performance.now() - startedAt) / 1000).toFixed(1);
  options.progress(`temporal: ready in ${took} s on port ${ports.port}`);
  return {
    address: `127.0.0.1:${ports.port}`,
    uiUrl: ports.uiPort === null ? null : `http://127.0.0.1:${ports.uiPort}`,
    pid: server.pid,
    exited: server.exited,
    [Symbol.asyncDispose]: dispose,
  };
}

type Ports = Pick<TemporalDevServerOptions, 'port' | 'uiPort'>;

async function choosePorts({ port, uiPort }: Ports): Promise<Ports> {
  const [freePort = 0, freeUiPort = 0] = await pickPorts([0, 0]);
  return {
    port: await requirePort(port || freePort),
    uiPort: uiPort === null ? null : await requirePort(uiPort || freeUiPort),
  };
}

async function spawnTemporal(
  options: TemporalDevServerOptions,
  { port, uiPort }: Ports,
  folder: DataFolder,
): Promise<GuardedProcess> {
  const args = [
    ['server', 'start-dev', '--ip', '127.0.0.1', '--port', String(port), '--log-level', 'error'],
    uiPort === null ? ['--headless'] : ['--ui-port', String(uiPort)],
    dynamicConfig.flatMap((setting) => ['--dynamic-config-value', setting]),
    folder.isKept ? await databaseArgs(options, folder.path) : [],
  ].flat();
  const logFile = join(folder.path, 'temporal.log');
  return startGuarded({ name: 'temporal', binary: options.binary, args, logFile });
}

// The server never migrates the tables of an old file, so only the CLI version that created it can open it.
async function databaseArgs(
  { binary, progress }: TemporalDevServerOptions,
  dataDir: string,
): Promise<string[]> {
  const version = await cliVersion(binary);
  const known = (await readdir(dataDir)).flatMap((name) => dataFilePattern.exec(name)?.[1] ?? []);
  if (known.length > 0 && !known.includes(version)) {
    progress(
      `temporal: the workflows kept here are of CLI ${known.join(', ')}, ` +
        `which CLI ${version} cannot read; it starts with a new file`,
    );
  }
  const file = join(dataDir, `temporal-cli-${version}.sqlite`);
  const pragmas = ['journal_mode=WAL', 'synchronous=NORMAL'];
  return ['--db-filename', file, ...pragmas.flatMap((pragma) => ['--sqlite-pragma', pragma])];
}

async function cliVersion(binary: string): Promise<string> {
  const output = await runProgram(binary, ['--version'], { timeoutMs: versionTimeoutMs });
  const version = /version (\S+)/.exec(output)?.[1] ?? 'unknown';
  return version.replaceAll(/[^\w.-]/g, '_');
}

async function waitForFrontend(
  server: GuardedProcess,
  port: number,
  { namespaces }: TemporalDevServerOptions,
): Promise<void> {
  // After connecting to a closed port, a gRPC channel waits long before it retries.
  await waitForPort(server, port);
  const address = `127.0.0.1:${port}`;
  const connection = await waitUntilReady(server, {
    check: () => Connection.connect({ address, connectTimeout: connectTimeoutMs }),
    timeoutMs: startTimeoutMs,
  });
  try {
    for (const namespace of namespaces) await ensureNamespace(connection, namespace);
  } finally {
    await connection.close();
  }
}
