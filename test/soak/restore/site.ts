// An installation with its own servers, whose data can be dumped, copied and restored while its processes are stopped.
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { createAppWithKey, type NewApp } from '../../../lib/access/create-app-with-key.ts';
import { readConfig } from '../../../lib/config/config.ts';
import { connectStore, type Store } from '../../../lib/mongo/connect.ts';
import { findBinaries } from '../../../dev/servers/find-binary.ts';
import { startMongodb } from '../../../dev/servers/mongodb.ts';
import { type RunningTemporal, startTemporalDevServer } from '../../../dev/servers/temporal.ts';
import { makeDevSecrets } from '../../../dev/start/dev-secrets.ts';
import { Disposal } from '../../../lib/platform/disposal.ts';
import { type RoleProcess, startRole } from '../../support/role-process.ts';
import { testServers } from '../../support/servers.ts';

const run = promisify(execFile);

export interface Site extends AsyncDisposable {
  store: Store;
  app: NewApp;
  apiUrl(): string;
  startRoles(): Promise<void>;
  stopRoles(): Promise<void>;
  /** Runs a command of `cli/` with the settings of the site. Returns its output. */
  command(name: 'setup' | 'start-missing', ...args: string[]): Promise<string>;
  /** Copies Temporal's stored data while it is stopped. */
  copyTemporal(): Promise<void>;
  /** Puts the copy back. */
  restoreTemporal(): Promise<void>;
  /** Abandons Temporal's data. */
  loseTemporal(): Promise<void>;
}

/** Starts MongoDB and Temporal. `settings` are those of the service. */
export async function openSite(settings: Record<string, string>): Promise<Site> {
  const open = new Disposal();
  const folder = await mkdtemp(join(tmpdir(), 'herald-soak-'));
  open.defer(() => rm(folder, { recursive: true, force: true }));
  const progress = (): void => undefined;
  const binaries = await findBinaries(['mongod', 'temporal'], { progress });
  const mongodb = open.use(
    await startMongodb({ binary: binaries.mongod, dataDir: null, port: 0, progress }),
  );
  const dataDir = (name: string): string => join(folder, name);
  const startTemporal = (name: string, port = 0): Promise<RunningTemporal> =>
    startTemporalDevServer({
      binary: binaries.temporal,
      dataDir: dataDir(name),
      port,
      uiPort: null,
      namespaces: ['default'],
      progress,
    });
  let folderName = 'temporal';
  let temporal = await startTemporal(folderName);
  open.defer(() => temporal[Symbol.asyncDispose]());
  const port = Number(temporal.address.split(':')[1]);
  const env = {
    PORT: '0',
    HERALD_HOST: '127.0.0.1',
    HERALD_DRAIN_FOR: '0s',
    HERALD_ALLOW_HTTP_WEBHOOKS: 'true',
    HERALD_ALLOW_CIDRS: '127.0.0.0/8',
    HERALD_WEBHOOK_PORTS: 'any',
    HERALD_WORKFLOW_BUNDLE: testServers().workflowBundle,
    HERALD_DATABASE: `soak_${randomBytes(4).toString('hex')}`,
    MONGODB_URI: mongodb.uri,
    TEMPORAL_ADDRESS: temporal.address,
    ...makeDevSecrets(),
    ...settings,
  };
  const config = readConfig(env);
  const store = open.use(await connectStore(config.mongodb));
  let roles: { api: RoleProcess; worker: RoleProcess } | null = null;
  open.defer(() => site.stopRoles());
  const beginAgainIn = async (next: string): Promise<void> => {
    await temporal[Symbol.asyncDispose]();
    folderName = next;
    temporal = await startTemporal(folderName, port);
  };
  const site: Site = {
    store,
    app: { appUid: '', accountUid: '', apiKey: '' },
    apiUrl: () => `http://127.0.0.1:${roles?.api.port ?? 0}`,
    async startRoles() {
      const [api, worker] = await Promise.all([startRole('api', env), startRole('worker', env)]);
      roles = { api, worker };
    },
    async stopRoles() {
      const running = roles === null ? [] : [roles.api, roles.worker];
      roles = null;
      await Promise.all(running.map((role) => role.end('SIGTERM')));
    },
    async command(name, ...args) {
      const main = join(testServers().build, 'cli', name, 'main.js');
      const { stdout } = await run(process.execPath, [main, ...args], {
        env: { ...process.env, ...env },
      });
      return stdout;
    },
    async copyTemporal() {
      await temporal[Symbol.asyncDispose]();
      await cp(dataDir(folderName), dataDir('copy'), { recursive: true });
      temporal = await startTemporal(folderName, port);
    },
    restoreTemporal: () => beginAgainIn('copy'),
    loseTemporal: () => beginAgainIn('anew'),
    [Symbol.asyncDispose]: () => open[Symbol.asyncDispose](),
  };
  await site.command('setup');
  site.app = await createAppWithKey(store, { name: 'Soak', keyPepper: config.keyPepper });
  return site;
}
