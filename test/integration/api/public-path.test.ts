// Behind a proxy that serves the api below a path and removes the path: the target of `Location`.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { makeTestAdmin } from '../../support/admin-client.ts';
import { startPrefixProxy } from '../../support/prefix-proxy.ts';
import { startService, type TestService } from '../../support/service.ts';

let service: TestService;
let proxy: Awaited<ReturnType<typeof startPrefixProxy>>;

beforeAll(async () => {
  const env = { HERALD_PUBLIC_URL: 'http://localhost/tools/herald/' };
  service = await startService({ worker: false, env });
  proxy = await startPrefixProxy('/tools/herald', service.apiUrl);
});

afterAll(async () => {
  await proxy?.[Symbol.asyncDispose]();
  await service?.[Symbol.asyncDispose]();
});

test('for API keys and for admins, Location leads through the proxy to the created resource', async () => {
  const ada = await makeTestAdmin(service);
  const asKey = { 'x-api-key': service.app.apiKey };
  for (const [headers, made] of [
    [asKey, await service.call('POST', '/accounts', { body: { name: 'A' } })],
    [ada.headers, await ada.call('POST', '/apps', { body: { name: 'A' } })],
  ] as const) {
    expect(made.status).toBe(201);
    const location = made.headers.get('location') ?? '';
    const found = await fetch(new URL(location, proxy.url), { headers });
    expect([found.status, await found.json()]).toMatchObject([200, { uid: made.body['uid'] }]);
  }
});
