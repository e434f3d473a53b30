// A database and a namespace for one test file, on the shared servers, set up and with one application.
import { randomBytes } from 'node:crypto';
import { Connection } from '@temporalio/client';
import { type Config, readConfig } from '../../lib/config/config.ts';
import { connectStore, type Store } from '../../lib/mongo/connect.ts';
import { createAppWithKey, type NewApp } from '../../lib/access/create-app-with-key.ts';
import { ensureSecretChecks } from '../../cli/setup/ensure-secret-checks.ts';
import { ensureIndexes } from '../../lib/mongo/indexes.ts';
import { ensureSearchAttributes } from '../../lib/temporal/registered-attributes.ts';
import { ensureNamespace } from '../../dev/servers/temporal-namespace.ts';
import { makeDevSecrets } from '../../dev/start/dev-secrets.ts';
import { testServers } from './servers.ts';
import { testSocketTimeoutMs } from './shard-keys.ts';

/** Empty databases of earlier files of this process. Clearing one takes a tenth of the time to build its indexes. */
const spareDatabases: string[] = [];
// A database with more documents is faster to drop than to clear.
const clearedDocumentsMax = 2_000;

/** The settings of a service, as text and parsed, and a first application. */
export interface Installation extends AsyncDisposable {
  env: Record<string, string>;
  config: Config;
  store: Store;
  app: NewApp;
}

/** Creates an installation. `overrides` replace the default test settings. */
export async function createInstallation(
  overrides: Record<string, string> = {},
): Promise<Installation> {
  const servers = testServers();
  const name = `test_${randomBytes(6).toString('hex')}`;
  const isShared = overrides['MONGODB_URI'] === undefined && !overrides['HERALD_DATABASE'];
  const spare = isShared ? spareDatabases.pop() : undefined;
  const env = {
    PORT: '0',
    HERALD_HOST: '127.0.0.1',
    HERALD_DRAIN_FOR: '0s',
    HERALD_PUBLIC_URL: 'http://herald.example',
    HERALD_ALLOW_HTTP_WEBHOOKS: 'true',
    HERALD_ALLOW_CIDRS: '127.0.0.0/8',
    HERALD_WEBHOOK_PORTS: 'any',
    HERALD_WORKFLOW_BUNDLE: servers.workflowBundle,
    HERALD_DATABASE: spare ?? name,
    MONGODB_URI: servers.mongodbUri,
    TEMPORAL_ADDRESS: servers.temporalAddress,
    TEMPORAL_NAMESPACE: name,
    ...makeDevSecrets(),
    ...overrides,
  };
  const config = readConfig(env);
  const [store] = await Promise.all([
    connectStore(config.mongodb, { socketTimeoutMs: testSocketTimeoutMs }),
    prepareNamespace(servers.temporalAddress, name),
  ]);
  if (spare === undefined) await ensureIndexes(store);
  await ensureSecretChecks(store, config);
  const indexCount = await countIndexes(store);
  const app = await createAppWithKey(store, { name: 'Test', keyPepper: config.keyPepper });
  return {
    env,
    config,
    store,
    app,
    async [Symbol.asyncDispose]() {
      const { objects } = await store.db.stats();
      const isAsBefore = (await countIndexes(store)) === indexCount;
      if (isShared && isAsBefore && Number(objects) <= clearedDocumentsMax) {
        await clear(store);
        spareDatabases.push(config.mongodb.database);
      } else {
        await store.db.dropDatabase();
      }
      await store[Symbol.asyncDispose]();
    },
  };
}

/** Excludes the indexes of `_id`, which each collection gets with its first document. */
async function countIndexes({ db }: Store): Promise<number> {
  const { indexes, collections } = await db.stats();
  return Number(indexes) - Number(collections);
}

async function clear({ db }: Store): Promise<void> {
  await db.setProfilingLevel('off');
  const collections = await db.listCollections({}, { nameOnly: true }).toArray();
  const clearOne = async ({ name }: { name: string }): Promise<void> => {
    if (name === 'system.profile') await db.dropCollection(name);
    else await db.collection(name).deleteMany({});
  };
  await Promise.all(collections.map(clearOne));
}

async function prepareNamespace(address: string, name: string): Promise<void> {
  const connection = await Connection.connect({ address });
  await ensureNamespace(connection, name);
  await ensureSearchAttributes(connection, name);
  await connection.close();
}
