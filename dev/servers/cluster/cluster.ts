// Servers as in production, on one machine: a replica set of three and a Temporal server of six processes.
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Disposal } from '../../../lib/platform/disposal.ts';
import { openDataFolder } from '../data-folder.ts';
import { pickPorts, requirePort } from '../free-port.ts';
import type { ClusterPrograms } from './find-programs.ts';
import type { Member } from './member.ts';
import { postgresUser, startPostgres } from './postgres.ts';
import { type ReplicaSet, startReplicaSet } from './replica-set.ts';
import {
  makeTemporalTables,
  startTemporalServer,
  temporalPortCount,
  type TemporalServer,
  type TemporalServerOptions,
} from './temporal-server.ts';

const mongodCount = 3;
const portCount = mongodCount + 1 + temporalPortCount;

interface ClusterOptions {
  readonly programs: ClusterPrograms;
  /** Null: the data is removed when the cluster is disposed of. */
  readonly dataDir: string | null;
  readonly namespaces: readonly string[];
  readonly progress: (line: string) => void;
}

export interface Cluster extends AsyncDisposable {
  readonly folder: string;
  readonly mongodb: ReplicaSet;
  readonly temporalAddress: string;
  readonly postgres: { readonly port: number; readonly user: string; readonly programs: string };
  /** `mongod-1` to `-3`, `postgres`, `temporal-frontend`, `temporal-history-1` to `-3`, `-matching`, `-worker`. */
  readonly members: readonly Member[];
}

/** Returns the member of a name. Throws when there is none. */
export function memberOf({ members }: Pick<Cluster, 'members'>, name: string): Member {
  const member = members.find((each) => each.name === name);
  if (member === undefined) throw new Error(`the cluster has no member ${name}`);
  return member;
}

/** Starts all of it, on the data of an earlier run if there is any. Throws with the end of a log. */
export async function startCluster(options: ClusterOptions): Promise<Cluster> {
  const open = new Disposal();
  try {
    return await startInto(open, options);
  } catch (error) {
    await open[Symbol.asyncDispose]();
    throw error;
  }
}

async function startInto(open: Disposal, options: ClusterOptions): Promise<Cluster> {
  const { programs, progress } = options;
  const startedAt = performance.now();
  const data = await openDataFolder(options.dataDir, 'cluster');
  open.defer(() => data.discard());
  const folder = data.path;
  const [postgresPort = 0, ...others] = await choosePorts(join(folder, 'ports.json'));
  const mongodPorts = others.slice(0, mongodCount);
  const [mongodb, temporal] = await Promise.all([
    startReplicaSet({ open, binary: programs.mongod, folder, ports: mongodPorts }),
    startTemporal(open, { ...options, folder, postgresPort, ports: others.slice(mongodCount) }),
  ]);
  progress(`cluster: ready in ${((performance.now() - startedAt) / 1000).toFixed(1)} s`);
  return {
    folder,
    mongodb,
    temporalAddress: temporal.address,
    postgres: { port: postgresPort, user: postgresUser, programs: programs.postgresFolder },
    members: [...mongodb.members, ...temporal.members],
    [Symbol.asyncDispose]: () => open[Symbol.asyncDispose](),
  };
}

async function startTemporal(
  open: Disposal,
  options: ClusterOptions & Omit<TemporalServerOptions, 'open' | 'binary'>,
): Promise<TemporalServer> {
  const { programs, postgresPort } = options;
  const postgres = await startPostgres({
    open,
    programs: programs.postgresFolder,
    folder: options.folder,
    port: postgresPort,
    prepare: () => makeTemporalTables(programs.temporalSqlTool, postgresPort),
  });
  const server = await startTemporalServer({ ...options, open, binary: programs.temporalServer });
  return { ...server, members: [postgres, ...server.members] };
}

/** Returns the ports of the first run on this data, by which the members know each other. */
async function choosePorts(path: string): Promise<number[]> {
  const text = await readFile(path, 'utf8').catch(() => null);
  if (text === null) {
    const ports = await pickPorts(Array.from({ length: portCount }, () => 0));
    await writeFile(path, JSON.stringify(ports));
    return ports;
  }
  const ports = JSON.parse(text) as number[];
  for (const port of ports) await requirePort(port);
  return ports;
}
