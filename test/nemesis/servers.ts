// The servers of the world: a replica set whose members reach each other through proxies, and Temporal.
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Member } from '../../dev/servers/cluster/member.ts';
import { type ReplicaSet, startReplicaSet } from '../../dev/servers/cluster/replica-set.ts';
import { openDataFolder } from '../../dev/servers/data-folder.ts';
import { findBinaries } from '../../dev/servers/find-binary.ts';
import { pickPorts } from '../../dev/servers/free-port.ts';
import type { ProcessExit } from '../../dev/servers/guarded-process.ts';
import { startTemporalDevServer } from '../../dev/servers/temporal.ts';
import type { Disposal } from '../../lib/platform/disposal.ts';
import { type ServerProxy, startServerProxy } from '../support/server-proxy.ts';
import { KeptProcess } from './kept-process.ts';
import { type MemberFaults, openMemberFaults } from './member-faults.ts';

const memberNames = ['mongod-1', 'mongod-2', 'mongod-3'];

interface ServersOptions {
  readonly open: Disposal;
  readonly progress: (line: string) => void;
  readonly proxies: Map<string, ServerProxy>;
}

export interface Servers {
  readonly mongodb: ReplicaSet;
  readonly memberFaults: MemberFaults | null;
  readonly temporalAddress: string;
  /** Starts it again without its data. */
  loseTemporal(): Promise<void>;
  /** By name: `temporal`, `mongod-1` and so on. */
  readonly processes: ReadonlyMap<string, KeptProcess>;
}

export async function startServers(options: ServersOptions): Promise<Servers> {
  const { open, progress } = options;
  const data = await openDataFolder(null, 'nemesis');
  open.defer(() => data.discard());
  const folder = data.path;
  const binaries = await findBinaries(['mongod', 'temporal'], { progress });
  const memberFaults = await openMemberFaults(folder, progress);
  const [temporalPort = 0, ...ports] = await pickPorts([0, ...memberNames.map(() => 0)]);
  const reachedAt: number[] = [];
  for (const [index, port] of ports.entries()) {
    const proxy = await openProxy(options, memberNames[index] ?? '', port);
    reachedAt.push(proxy.port);
    await memberFaults?.set(memberNames[index] ?? '', {});
  }
  const envOf = memberFaults === null ? {} : { envOf: (name: string) => memberFaults.envOf(name) };
  const set = { open, folder, ports, reachedAt, ...envOf, binary: binaries.mongod };
  const temporal = temporalMember({ binary: binaries.temporal, folder, port: temporalPort });
  const processes = new Map<string, KeptProcess>();
  const keep = async (member: Member): Promise<void> => {
    const kept = new KeptProcess(member, progress);
    processes.set(member.name, kept);
    open.defer(() => kept.end('SIGKILL'));
    await kept.begin();
  };
  const [mongodb] = await Promise.all([startReplicaSet(set), keep(temporal)]);
  for (const member of mongodb.members) await keep(member);
  const loseTemporal = async (): Promise<void> => {
    const kept = processes.get(temporal.name);
    await kept?.end('SIGKILL');
    await rm(join(folder, temporal.name), { recursive: true });
    await kept?.begin();
  };
  const temporalAddress = `127.0.0.1:${temporalPort}`;
  return { mongodb, memberFaults, processes, temporalAddress, loseTemporal };
}

/** Opens a proxy in front of a port of this machine, with a name for faults. */
export async function openProxy(
  { open, proxies }: Pick<ServersOptions, 'open' | 'proxies'>,
  name: string,
  port: number,
): Promise<ServerProxy> {
  const proxy = open.use(await startServerProxy(new URL(`http://127.0.0.1:${port}`)));
  proxies.set(name, proxy);
  return proxy;
}

interface TemporalPlace {
  readonly binary: string;
  readonly folder: string;
  readonly port: number;
}

function temporalMember({ binary, folder, port }: TemporalPlace): Member {
  const name = 'temporal';
  return new Member({
    name,
    async spawn() {
      const server = await startTemporalDevServer({
        binary,
        dataDir: join(folder, name),
        port,
        uiPort: null,
        namespaces: ['default'],
        progress: () => undefined,
      });
      let exit: ProcessExit | undefined;
      const exited = server.exited.then((how) => (exit = how));
      const end = async (signal: NodeJS.Signals): Promise<void> => {
        if (exit === undefined) process.kill(server.pid, signal);
        await exited;
      };
      return {
        name,
        pid: server.pid,
        logFile: join(folder, name, 'temporal.log'),
        exited,
        exit: () => exit,
        stop: () => end('SIGTERM'),
        kill: () => end('SIGKILL'),
      };
    },
    ready: () => Promise.resolve(),
  });
}
