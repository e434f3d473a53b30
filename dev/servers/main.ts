// `npm run servers`: MongoDB and Temporal on this machine, without the service.
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
import { startMongodb } from './mongodb.ts';
import { startTemporalDevServer } from './temporal.ts';

const help = `Usage: npm run servers -- [options]

Starts MongoDB and Temporal on this machine, prints how to start the service on them, and runs until Ctrl-C.

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
  const stopAsked = new Promise<void>((done) => {
    for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(name, () => done());
  });
  const dataDir = values.data === undefined ? null : resolve(values.data);
  const open = new Disposal();
  try {
    await (values.cluster ? runCluster(open, dataDir) : runSingle(open, dataDir));
    await stopAsked;
    progress('stopping…');
  } finally {
    await open[Symbol.asyncDispose]();
  }
  progress('stopped');
}

async function runSingle(open: Disposal, dataDir: string | null): Promise<void> {
  const binaries = await findBinaries(['mongod', 'temporal'], { progress });
  const [mongodbPort = 0, temporalPort = 0, uiPort = 0] = await pickPorts(preferredPorts);
  const folder = (name: string): string | null => (dataDir === null ? null : join(dataDir, name));
  const [mongodb, temporal] = await Promise.all([
    startMongodb({
      binary: binaries.mongod,
      dataDir: folder('mongodb'),
      port: mongodbPort,
      progress,
    }).then((server) => open.use(server)),
    startTemporalDevServer({
      binary: binaries.temporal,
      dataDir: folder('temporal'),
      port: temporalPort,
      uiPort,
      namespaces: ['default'],
      progress,
    }).then((server) => open.use(server)),
  ]);
  announce(mongodb.uri, temporal.address);
}

async function runCluster(open: Disposal, dataDir: string | null): Promise<void> {
  const programs = await findClusterPrograms({ env: process.env, progress });
  const namespaces = ['default'];
  const cluster = open.use(await startCluster({ programs, dataDir, namespaces, progress }));
  const path = join(resolve(process.env['HERALD_DATA_DIR'] || '.herald'), 'cluster.json');
  await writeClusterFile(path, cluster);
  open.defer(() => rm(path, { force: true }));
  const stopping = new AbortController();
  for (const member of cluster.members) {
    void keepRunning(member, {
      signal: stopping.signal,
      onStart: () => writeClusterFile(path, cluster),
    });
  }
  open.defer(() => Promise.resolve(stopping.abort()));
  for (const { name, pid } of cluster.members) progress(`  ${name.padEnd(20)} pid ${pid}`);
  progress(`logs are below ${cluster.folder}; addresses and pids are in ${path}`);
  announce(cluster.mongodb.uri, cluster.temporalAddress);
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
