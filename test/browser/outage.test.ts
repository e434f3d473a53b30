// Outages of the servers behind the service, as the pages show them.
import { type ConsoleService, openConsole, startConsoleService } from '../support/console.ts';
import {
  type ServerProxy,
  startMongodbProxy,
  startServerProxy,
  startTemporalProxy,
} from '../support/server-proxy.ts';

let service: ConsoleService;
let mongodb: ServerProxy;
let temporal: ServerProxy;

beforeAll(async () => {
  const mongodbProxy = await startMongodbProxy();
  [mongodb, temporal] = [mongodbProxy, await startTemporalProxy()];
  const TEMPORAL_ADDRESS = `127.0.0.1:${temporal.port}`;
  const env = { MONGODB_URI: mongodbProxy.uri, TEMPORAL_ADDRESS };
  service = await startConsoleService({ worker: false, env });
});

afterAll(async () => {
  await service?.[Symbol.asyncDispose]();
  await temporal?.[Symbol.asyncDispose]();
  await mongodb?.[Symbol.asyncDispose]();
});

const pathTo = (rest: string): string => `/apps/${service.app.appUid}${rest}`;

test('without Temporal, a banner says what still works, and goes when it is back', async () => {
  await using opened = await openConsole(service, pathTo('/settings'));
  const { page } = opened;
  await page.getByRole('region', { name: 'Limits' }).waitFor();
  const banner = page.getByRole('alert').filter({ hasText: 'Temporal is not available' });
  temporal.refuse(true);
  await banner.getByText('Changes are accepted and recorded.').waitFor();
  temporal.refuse(false);
  await banner.waitFor({ state: 'detached' });
});

test('while MongoDB hangs, a banner says so, and a page that loads gives its reason after 5 s', async () => {
  await using opened = await openConsole(service, pathTo('/settings'));
  const { page } = opened;
  await page.getByRole('region', { name: 'Limits' }).waitFor();
  mongodb.freeze(true);
  await page.getByRole('link', { name: 'Members' }).click();
  await page.getByRole('status', { name: 'Loading' }).waitFor();
  const banner = page.getByRole('alert').filter({ hasText: 'MongoDB is not available' });
  await banner.getByText('their deliveries continue then').waitFor();
  await page.getByText('This page continues when it is back.').waitFor();
  mongodb.freeze(false);
  await banner.waitFor({ state: 'detached' });
});

test('a service that does not respond at all is told from its servers', async () => {
  const front = await startServerProxy(new URL(service.apiUrl));
  const consoleUrl = `http://localhost:${front.port}/console`;
  await using opened = await openConsole({ ...service, consoleUrl }, pathTo('/settings'));
  const { page } = opened;
  await page.getByRole('region', { name: 'Limits' }).waitFor();
  front.refuse(true);
  const banner = page.getByRole('alert').filter({ hasText: 'The service does not respond' });
  await banner.waitFor();
  front.refuse(false);
  await banner.waitFor({ state: 'detached' });
  await front[Symbol.asyncDispose]();
});
