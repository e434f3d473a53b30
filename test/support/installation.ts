// A database and a namespace for one test file, on the shared servers, set up and with one app.
import { randomBytes } from 'node:crypto';
import { Connection } from '@temporalio/client';
import { type Config, readConfig } from '../../lib/config/config.ts';
import { connectStore, type Store } from '../../lib/mongo/connect.ts';
import { createAppWithKey, type NewApp } from '../../lib/access/create-app-with-key.ts';
import { ensureIndexes } from '../../lib/mongo/indexes.ts';
import { ensureSearchAttributes } from '../../lib/temporal/registered-attributes.ts';
import { ensureNamespace } from '../../dev/servers/temporal-namespace.ts';
import { makeDevSecrets } from '../../dev/start/dev-secrets.ts';
import { testServers } from './servers.ts';

/** The settings of a service, as text and as parsed, and a first application. */
export interface Installation extends AsyncDisposable {
  env: Record<string, string>;
  config: Config;
  store: Store;
  app: NewApp;
}

/** Creates an installation; `overrides` replace the settings of tests. */
export async function createInstallation(
  overrides: Record<string, string> = {},
): Promise<Installation> {
  const servers = testServers();
  const name = `test_${randomBytes(6).toString('hex')}`;
  const env = {
    PORT: '0',
    HERALD_HOST: '127.0.0.1',
    HERALD_DRAIN_FOR: '0s',
    HERALD_PUBLIC_URL: 'http://herald.example',
    HERALD_ALLOW_HTTP_WEBHOOKS: 'true',
    HERALD_ALLOW_CIDRS: '127.0.0.0/8',
    HERALD_WEBHOOK_PORTS: 'any',
    HERALD_WORKFLOW_BUNDLE: servers.workflowBundle,
    HERALD_DATABASE: name,
    MONGODB_URI: servers.mongodbUri,
    TEMPORAL_ADDRESS: servers.temporalAddress,
    TEMPORAL_NAMESPACE: name,
    ...makeDevSecrets(),
    ...overrides,
  };
  const config = readConfig(env);
  const [store] = await Promise.all([
    prepareDatabase(config),
    prepareNamespace(servers.temporalAddress, name),
  ]);
  const app = await createAppWithKey(store, { name: 'Test', keyPepper: config.keyPepper });
  return {
    env,
    config,
    store,
    app,
    async [Symbol.asyncDispose]() {
      await store.db.dropDatabase();
      await store[Symbol.asyncDispose]();
    },
  };
}

async function prepareDatabase({ mongodb }: Config): Promise<Store> {
  const store = await connectStore(mongodb);
  await ensureIndexes(store);
  return store;
}

async function prepareNamespace(address: string, name: string): Promise<void> {
  const connection = await Connection.connect({ address });
  await ensureNamespace(connection, name);
  await ensureSearchAttributes(connection, name);
  await connection.close();
}
