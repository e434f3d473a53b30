// `npm run servers`: MongoDB and Temporal on this machine, without the service.
import { once } from 'node:events';
import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { setTimeout as delay } from 'node:timers/promises';
import { Disposal } from '../../lib/platform/disposal.ts';
import { runCommand } from '../../lib/platform/run-command.ts';
import { type Cluster, startCluster } from './cluster/cluster.ts';
import { findClusterPrograms } from './cluster/find-programs.ts';
import type { Member } from './cluster/member.ts';
import { findBinaries } from './find-binary.ts';
import { pickPorts } from './free-port.ts';
import type { ProcessExit } from './guarded-process.ts';
import { startMongodb } from './mongodb.ts';
import { startTemporalDevServer } from './temporal.ts';
import { useStarting } from './use-starting.ts';

const help = `Usage: npm run servers -- [options]

Starts MongoDB and Temporal on this machine, prints how to start the service on them, and runs until Ctrl-C
or until one of them ends.

  --cluster    a replica set of three, and a Temporal server of six processes on PostgreSQL; a process
               that is killed is started again after 5 s; pids and addresses are in cluster.json of
               HERALD_DATA_DIR (.herald)
  --data DIR   keeps the data there; otherwise it ends with the servers
  --help       shows this
`;

const restartAfterMs = 5_000;
const preferredPorts = [27_017, 7233, 8233];
const progress = (line: string): void => void process.stdout.write(`${line}\n`);

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: { cluster: { type: 'boolean', default: false }, data: { type: 'string' } },
  });
  const stop = new AbortController();
  const stopAsked = once(stop.signal, 'abort').then(() => progress('stopping…'));
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(name, () => stop.abort());
  const dataDir = values.data === undefined ? null : resolve(values.data);
  const open = new Disposal();
  try {
    const run = values.cluster ? runCluster : runSingle;
    const lost = await Promise.race([stopAsked, run(open, { dataDir, signal: stop.signal })]);
    if (typeof lost === 'string') {
      progress(lost);
      process.exitCode = 1;
    }
  } finally {
    await open[Symbol.asyncDispose]();
  }
  progress('stopped');
}

interface Running {
  readonly dataDir: string | null;
  readonly signal: AbortSignal;
}

/** Runs both, and returns a sentence when one of them has ended. */
async function runSingle(open: Disposal, { dataDir, signal }: Running): Promise<string> {
  const binaries = await findBinaries(['mongod', 'temporal'], { progress });
  const [mongodbPort = 0, temporalPort = 0, uiPort = 0] = await pickPorts(preferredPorts);
  signal.throwIfAborted();
  const folder = (name: string): string | null => (dataDir === null ? null : join(dataDir, name));
  const [mongodb, temporal] = await Promise.all([
    useStarting(
      open,
      startMongodb({
        binary: binaries.mongod,
        dataDir: folder('mongodb'),
        port: mongodbPort,
        progress,
      }),
    ),
    useStarting(
      open,
      startTemporalDevServer({
        binary: binaries.temporal,
        dataDir: folder('temporal'),
        port: temporalPort,
        uiPort,
        namespaces: ['default'],
        progress,
      }),
    ),
  ]);
  signal.throwIfAborted();
  announce(mongodb.uri, temporal.address);
  return Promise.race([endOf('MongoDB', mongodb.exited), endOf('Temporal', temporal.exited)]);
}

async function endOf(name: string, exited: Promise<ProcessExit>): Promise<string> {
  const { code, signal } = await exited;
  return `${name} ended (${signal ?? `code ${code}`})`;
}

/** Runs all of them until the signal, and starts again those that end before it. */
async function runCluster(open: Disposal, { dataDir, signal }: Running): Promise<void> {
  const programs = await findClusterPrograms({ env: process.env, progress });
  signal.throwIfAborted();
  const namespaces = ['default'];
  const starting = startCluster({ programs, dataDir, namespaces, progress });
  const cluster = await useStarting(open, starting);
  signal.throwIfAborted();
  const path = join(resolve(process.env['HERALD_DATA_DIR'] || '.herald'), 'cluster.json');
  await writeClusterFile(path, cluster);
  open.defer(() => rm(path, { force: true }));
  const onStart = (): Promise<void> => writeClusterFile(path, cluster);
  const kept = cluster.members.map((member) => keepRunning(member, { signal, onStart }));
  for (const { name, pid } of cluster.members) progress(`  ${name.padEnd(20)} pid ${pid}`);
  progress(`logs are below ${cluster.folder}; addresses and pids are in ${path}`);
  announce(cluster.mongodb.uri, cluster.temporalAddress);
  await Promise.all(kept);
}

function announce(mongodbUri: string, temporalAddress: string): void {
  progress(
    `\nCtrl-C stops them. The service on them:\n\n` +
      `  MONGODB_URI='${mongodbUri}' TEMPORAL_ADDRESS=${temporalAddress} npm start\n`,
  );
}

interface Keeping {
  readonly signal: AbortSignal;
  readonly onStart: () => Promise<void>;
}

async function keepRunning(member: Member, { signal, onStart }: Keeping): Promise<void> {
  while (true) {
    await member.exited();
    if (signal.aborted) return;
    progress(`${member.name} ended; starting it again in ${restartAfterMs / 1000} s`);
    await delay(restartAfterMs, undefined, { signal }).catch(() => undefined);
    if (signal.aborted) return;
    try {
      await member.start();
      await onStart();
    } catch (error) {
      progress(error instanceof Error ? error.message : String(error));
    }
  }
}

/** Writes the file whole or not at all. */
async function writeClusterFile(path: string, cluster: Cluster): Promise<void> {
  const { folder, mongodb, temporalAddress, postgres, members } = cluster;
  const pids = Object.fromEntries(members.map(({ name, pid }) => [name, pid]));
  const content = { folder, mongodbUri: mongodb.uri, temporalAddress, postgres, pids };
  await mkdir(resolve(path, '..'), { recursive: true });
  const next = `${path}.${process.pid}.next`;
  await writeFile(next, `${JSON.stringify(content, null, 2)}\n`);
  await rename(next, path);
}

await runCommand(main, help);
process.exit();
