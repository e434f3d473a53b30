// A further application of a service under test, with a client of its own.
import { createAppWithKey, type NewApp } from '../../lib/access/create-app-with-key.ts';
import { type ApiClient, createApiClient } from './api-client.ts';
import type { TestService } from './service.ts';

/** An application and the calls of its key. */
export interface TestApp extends NewApp, ApiClient {}

/** Makes an application beside the service's first one. */
export async function addApp(
  { store, config, apiUrl }: Pick<TestService, 'store' | 'config' | 'apiUrl'>,
  name = 'Other',
): Promise<TestApp> {
  const app = await createAppWithKey(store, { name, keyPepper: config.keyPepper });
  return { ...app, ...createApiClient(apiUrl, app) };
}
