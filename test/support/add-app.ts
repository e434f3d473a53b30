// An additional application of the service under test, with its own client.
import { createAppWithKey, type NewApp } from '../../lib/access/create-app-with-key.ts';
import { type ApiClient, createApiClient } from './api-client.ts';
import type { TestService } from './service.ts';

/** An application and a client with its key. */
export interface TestApp extends NewApp, ApiClient {}

/** Creates an application next to the service's first one. */
export async function addApp(
  { store, config, apiUrl }: Pick<TestService, 'store' | 'config' | 'apiUrl'>,
  name = 'Other',
): Promise<TestApp> {
  const app = await createAppWithKey(store, { name, keyPepper: config.keyPepper });
  return { ...app, ...createApiClient(apiUrl, app) };
}
