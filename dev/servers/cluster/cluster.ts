// Servers like in production, on one machine: a replica set of three and a Temporal server of six processes.
import { mkdir } from 'node:fs/promises';
import { Disposal } from '../../../lib/platform/disposal.ts';
import { pickPorts } from '../free-port.ts';
import type { ClusterPrograms } from './find-programs.ts';
import type { Member } from './member.ts';
import { postgresUser, startPostgres } from './postgres.ts';
import { type ReplicaSet, startReplicaSet } from './replica-set.ts';
import { makeTemporalTables, startTemporalServer, temporalPortCount } from './temporal-server.ts';

const mongodCount = 3;

interface ClusterOptions {
  readonly programs: ClusterPrograms;
  /** A new folder, which is kept when the cluster is disposed of. */
  readonly folder: string;
  readonly namespaces: readonly string[];
  readonly progress: (line: string) => void;
}

export interface Cluster extends AsyncDisposable {
  readonly mongodb: ReplicaSet;
  readonly temporalAddress: string;
  readonly postgres: { readonly port: number; readonly user: string; readonly programs: string };
  /** `mongod-1` to `-3`, `postgres`, `temporal-frontend`, `temporal-history-1` to `-3`, `-matching`, `-worker`. */
  readonly members: readonly Member[];
}

/** Returns the member with that name. Throws if there is none. */
export function memberOf({ members }: Pick<Cluster, 'members'>, name: string): Member {
  const member = members.find((each) => each.name === name);
  if (member === undefined) throw new Error(`the cluster has no member ${name}`);
  return member;
}

/** Starts all members. Throws with the end of a log. */
export async function startCluster(options: ClusterOptions): Promise<Cluster> {
  const open = new Disposal();
  try {
    return await startInto(open, options);
  } catch (error) {
    await open[Symbol.asyncDispose]();
    throw error;
  }
}

async function startInto(
  open: Disposal,
  { programs, folder, namespaces, progress }: ClusterOptions,
): Promise<Cluster> {
  const startedAt = performance.now();
  await mkdir(folder, { recursive: true });
  const wanted = Array<number>(1 + mongodCount + temporalPortCount).fill(0);
  const [postgresPort = 0, ...others] = await pickPorts(wanted);
  const common = { open, folder };
  const mongodPorts = others.slice(0, mongodCount);
  const startTemporal = async () => {
    const { postgresFolder, temporalServer: binary } = programs;
    const database = { ...common, programs: postgresFolder, port: postgresPort };
    const postgres = await startPostgres(database);
    await makeTemporalTables(programs.temporalSqlTool, postgresPort);
    const ports = others.slice(mongodCount);
    const settings = { ...common, binary, ports, postgresPort, namespaces };
    const server = await startTemporalServer(settings);
    return { address: server.address, members: [postgres, ...server.members] };
  };
  const [mongodb, temporal] = await Promise.all([
    startReplicaSet({ ...common, binary: programs.mongod, ports: mongodPorts }),
    startTemporal(),
  ]);
  progress(`cluster: ready in ${((performance.now() - startedAt) / 1000).toFixed(1)} s`);
  return {
    mongodb,
    temporalAddress: temporal.address,
    postgres: { port: postgresPort, user: postgresUser, programs: programs.postgresFolder },
    members: [...mongodb.members, ...temporal.members],
    [Symbol.asyncDispose]: () => open[Symbol.asyncDispose](),
  };
}
