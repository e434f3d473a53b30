// The example for Express as a user starts it, with the packed files of the receiver and the real service.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startService, type TestService } from '../../support/service.ts';
import { waitFor } from '../../support/wait-for.ts';
import { type InstalledExample, installExample, startExample } from './run-example.ts';

let installed: InstalledExample;
let service: TestService;

beforeAll(async () => {
  [service, installed] = await Promise.all([
    startService(),
    installExample('express', ['express']),
  ]);
});
afterAll(async () => {
  await service[Symbol.asyncDispose]();
  await installed[Symbol.asyncDispose]();
});

test('the example shows a change of an agent, rejects a forgery, and the delivery is delivered', async () => {
  const { body: webhook } = await service.call('POST', '/webhooks', {
    body: { url: 'http://127.0.0.1:1/hook', entities: ['agent'] },
  });
  await using example = await startExample(installed, {
    WEBHOOK_SECRET: String(webhook['secret']),
  });
  const url = `${example.url}/hook`;
  await service.call('PATCH', `/webhooks/${String(webhook['uid'])}`, { body: { url } });
  expect((await fetch(url, { method: 'POST', body: '{}' })).status).toBe(401);
  const agent = { agentName: 'Support', externalTenantId: 'tenant-1' };
  await service.call('POST', '/agents', { body: agent });
  await waitFor(() => example.lines.length === 2, {
    what: 'the event',
    state: () => example.lines,
  });
  expect(example.lines[1]).toBe('verified agent.created: Support');
  await waitFor(
    async () =>
      (await service.call('GET', '/deliveries?state=delivered')).body['data']?.['length'] === 1,
    { what: 'the delivery' },
  );
});
