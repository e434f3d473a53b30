// The world of a nemesis run: MongoDB, Temporal and the service as real processes, with a proxy in front of each server.
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { pickPorts } from '../../dev/servers/free-port.ts';
import { makeDevSecrets } from '../../dev/start/dev-secrets.ts';
import { type Config, readConfig } from '../../lib/config/config.ts';
import { connectStore, type Store } from '../../lib/mongo/connect.ts';
import { Disposal } from '../../lib/platform/disposal.ts';
import { buildService } from '../runner/build.ts';
import { startBalancer } from '../support/balancer.ts';
import type { Points } from './points/instrumented.ts';
import { type Dump, dump, restore } from '../support/dump.ts';
import { writeNextBundle } from '../support/next-release.ts';
import type { ServerProxy } from '../support/server-proxy.ts';
import { waitFor } from '../support/wait-for.ts';
import type { KeptProcess } from './kept-process.ts';
import { nextNames, type RoleName, roleNames, Roles } from './roles.ts';
import { openProxy, type Servers, startServers } from './servers.ts';

interface WorldOptions {
  /** A new folder below the repository, where the compiled service finds its packages. It is kept. */
  readonly folder: string;
  readonly progress: (line: string) => void;
  /** Null or absent for the service as it is. */
  readonly points?: Points | null;
}

export interface World extends AsyncDisposable, Pick<Servers, 'mongodb' | 'memberFaults'> {
  readonly apiUrl: string;
  readonly config: Config;
  readonly store: Store;
  readonly roles: Roles;
  /** By name: `callers`, `temporal of api-1` and so on, `mongod-1` to `-3`. */
  readonly proxies: ReadonlyMap<string, ServerProxy>;
  readonly progress: (line: string) => void;
  /** Returns a process by its name: `api-1`, `worker-2`, `temporal`, `mongod-3` and so on. Throws if there is none. */
  process(name: string): KeptProcess;
  /** Ends every fault and waits until everything is up. */
  heal(): Promise<void>;
  backup(): Promise<Dump>;
  /** The steps of docs/backup.md, also with an empty Temporal. */
  restore(dumped: Dump, options: { isTemporalLost: boolean }): Promise<void>;
}

/** Builds the service and starts everything. */
export async function openWorld(options: WorldOptions): Promise<World> {
  const open = new Disposal();
  try {
    return await openInto(open, options);
  } catch (error) {
    await open[Symbol.asyncDispose]();
    throw error;
  }
}

async function openInto(open: Disposal, options: WorldOptions): Promise<World> {
  const { folder, progress, points = null } = options;
  await mkdir(folder, { recursive: true });
  const proxies = new Map<string, ServerProxy>();
  const nextBundle = join(folder, 'next-workflow-bundle.js');
  const [build] = await Promise.all([
    buildService(folder, points?.source),
    writeNextBundle(nextBundle),
  ]);
  progress('built');
  const startedAt = performance.now();
  const servers = await startServers({ open, progress, proxies });
  const env = {
    HERALD_HOST: '127.0.0.1',
    HERALD_DRAIN_FOR: '0s',
    HERALD_PUBLIC_URL: 'http://herald.example',
    HERALD_ALLOW_HTTP_WEBHOOKS: 'true',
    HERALD_ALLOW_CIDRS: '127.0.0.0/8',
    HERALD_WEBHOOK_PORTS: 'any',
    HERALD_LOG_LEVEL: 'info',
    HERALD_WORKFLOW_BUNDLE: build.bundle,
    MONGODB_URI: servers.mongodb.uri,
    TEMPORAL_ADDRESS: servers.temporalAddress,
    ...makeDevSecrets(),
  };
  const balancer = open.use(await startBalancer());
  const callers = await openProxy({ open, proxies }, 'callers', Number(new URL(balancer.url).port));
  const placeOf = await openPlaces({ open, proxies }, servers);
  const roles = new Roles({ build, nextBundle, points, folder, env, placeOf, balancer, progress });
  open.defer(() => roles.end('SIGKILL'));
  await roles.command('setup');
  const config = readConfig(env);
  const store = open.use(await connectStore(config.mongodb));
  await roles.begin();
  progress(`the world is up after ${((performance.now() - startedAt) / 1_000).toFixed(1)} s`);
  const apiUrl = `http://127.0.0.1:${callers.port}`;
  return worldOf({ ...servers, roles, config, store, proxies, progress, apiUrl }, open);
}

/** Gives each process a port, and a proxy in front of Temporal. */
async function openPlaces(
  parts: { open: Disposal; proxies: Map<string, ServerProxy> },
  { temporalAddress }: Servers,
): Promise<(name: RoleName) => Record<'PORT' | 'TEMPORAL_ADDRESS', string>> {
  const temporalPort = Number(temporalAddress.split(':')[1]);
  const names = [...roleNames, ...nextNames];
  const ports = await pickPorts(names.map(() => 0));
  for (const name of names) await openProxy(parts, `temporal of ${name}`, temporalPort);
  return (name) => ({
    PORT: String(ports[names.indexOf(name)]),
    TEMPORAL_ADDRESS: `127.0.0.1:${parts.proxies.get(`temporal of ${name}`)?.port}`,
  });
}

type Parts = Servers & Omit<World, 'process' | 'heal' | 'backup' | 'restore' | symbol>;

function worldOf(parts: Parts, open: Disposal): World {
  const { roles, store, mongodb, processes } = parts;
  const all = (): KeptProcess[] => [...processes.values(), ...roles.running.values()];
  const isUp = async (): Promise<boolean> => {
    if (!all().every(({ isReady }) => isReady)) return false;
    return (await mongodb.isWhole()) && isApiReady(parts.apiUrl);
  };
  return {
    ...parts,
    process(name) {
      const found = processes.get(name) ?? roles.running.get(name);
      if (found === undefined) throw new Error(`the world has no process ${name}`);
      return found;
    },
    async heal() {
      await endFaults(parts, all());
      await Promise.all(all().map((each) => each.ready()));
      await roles.unchange();
      await waitFor(isUp, { timeoutMs: 120_000, what: 'the whole world' });
    },
    backup: () => dump(store),
    async restore(dumped, { isTemporalLost }) {
      await roles.end('SIGTERM');
      await restore(store, dumped);
      if (isTemporalLost) await parts.loseTemporal();
      await roles.command('setup');
      await roles.command('start-missing', '--mongodb-rolled-back');
      await roles.begin();
    },
    [Symbol.asyncDispose]: () => open[Symbol.asyncDispose](),
  };
}

async function endFaults(
  { proxies, memberFaults, mongodb }: Parts,
  processes: readonly KeptProcess[],
): Promise<void> {
  for (const proxy of proxies.values()) {
    proxy.refuse(false);
    proxy.silence(false);
    proxy.delay(0);
  }
  for (const { name } of mongodb.members) await memberFaults?.set(name, {});
  for (const { member } of processes) {
    if (member.pid !== null) await member.signal('SIGCONT');
  }
}

async function isApiReady(apiUrl: string): Promise<boolean> {
  return fetch(`${apiUrl}/readyz`, { signal: AbortSignal.timeout(2_000) }).then(
    ({ ok }) => ok,
    () => false,
  );
}
