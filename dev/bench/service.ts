// The service under load, started here with embedded servers or those that the environment names.
import { Client, Connection } from '@temporalio/client';
import { type Config, readConfig } from '../../lib/config/config.ts';
import type { DevFile } from '../../lib/config/dev-file.ts';
import { connectStore, type Store } from '../../lib/mongo/connect.ts';
import type { Disposal } from '../../lib/platform/disposal.ts';
import { makeTemporaryFolder } from '../servers/temporary-folder.ts';
import { makeDevSecrets } from '../start/dev-secrets.ts';
import { launch } from '../start/launch.ts';
import type { ProcessGroups } from './process-usage.ts';
import type { Receiver } from './receiver.ts';
import type { Settings } from './settings.ts';

export interface Service {
  apiUrl: string;
  config: Config;
  store: Store;
  temporal: Client;
  /** The current processes. A restart changes them. */
  groups(): ProcessGroups;
  /** Resolves with the reason when a server is lost for good. */
  lost: Promise<string>;
}

/** The context of every scenario. */
export interface Bench {
  service: Service;
  receiver: Receiver;
  settings: Settings;
  signal: AbortSignal;
  say: (line: string) => void;
  /** The service's processes and the bench's own. */
  groups(): ProcessGroups;
}

/**
 * Starts the service like `npm start`, with new data on free ports. Closing `open` ends it. On servers that the
 * environment names, it uses its own database, which is dropped at the end unless the environment also names that.
 */
export async function startService(open: Disposal, say: Bench['say']): Promise<Service> {
  const dataDir = await makeTemporaryFolder(open, 'bench');
  const env = {
    ...makeDevSecrets(),
    // All callers, including the slow ones, have the address of this machine.
    HERALD_CONNECTIONS_PER_ADDRESS: '0',
    HERALD_DATABASE: `herald_bench_${Date.now()}`,
    ...process.env,
    PORT: '0',
  };
  if (process.env['MONGODB_URI'] && !process.env['HERALD_DATABASE']) {
    open.defer(() => dropDatabase(readConfig(env).mongodb));
  }
  const { dev, lost } = open.use(await launch({ env, dataDir, ephemeral: true, progress: say }));
  const config = readConfig({
    ...env,
    MONGODB_URI: dev.mongodbUri,
    TEMPORAL_ADDRESS: dev.temporalAddress,
  });
  const store = open.use(await connectStore(config.mongodb));
  const { address, namespace, connectionOptions } = config.temporal;
  const connection = await Connection.connect({ ...connectionOptions, address });
  open.defer(() => connection.close());
  return {
    apiUrl: dev.apiUrl,
    config,
    store,
    temporal: new Client({ connection, namespace }),
    groups: () => groupsOf(dev.pids),
    lost,
  };
}

async function dropDatabase(settings: Config['mongodb']): Promise<void> {
  await using store = await connectStore(settings);
  await store.db.dropDatabase();
}

function groupsOf(pids: DevFile['pids']): ProcessGroups {
  return {
    api: [pids.api],
    worker: [pids.worker],
    mongodb: pids.mongodb === null ? [] : [pids.mongodb],
    temporal: pids.temporal === null ? [] : [pids.temporal],
  };
}
