// Deliveries go through the egress proxy, and its failures do not count as attempts.
import { expect, test } from 'vitest';
import type { JsonBody } from '../support/api-client.ts';
import { startConnectProxy } from '../support/connect-proxy.ts';
import { startReceiver } from '../support/receivers.ts';
import { startService } from '../support/service.ts';
import { waitFor } from '../support/wait-for.ts';
import { registerWebhook } from '../support/webhook-calls.ts';

test('while the egress proxy fails no attempt is counted, and once it works the event arrives through it', async () => {
  let breaks = true;
  await using proxy = await startConnectProxy(() => (breaks ? 'break' : 'connect'));
  const proxyUrl = `http://127.0.0.1:${proxy.port}`;
  await using service = await startService({ env: { HERALD_EGRESS_PROXY: proxyUrl } });
  await using receiver = await startReceiver((response) => response.end());
  const webhook = await registerWebhook(service, { url: `${receiver.url}/hook` });
  const agent = { agentName: 'Support', externalTenantId: 'tenant-1', live: true };
  await service.call('POST', '/agents', { body: agent });
  const eventId = await waitFor(async () => {
    const { body } = await service.call('GET', '/events');
    return body['data']?.[0]?.['eventId'];
  });
  const delivery = async (): Promise<JsonBody | undefined> => {
    const { body } = await service.call('GET', `/events/${String(eventId)}/deliveries`);
    return body['data']?.[0];
  };
  await waitFor(() => proxy.targets.length >= 2, { what: 'a second request to the proxy' });
  expect(await delivery()).toMatchObject({ webhookUid: webhook.uid, state: 'pending' });
  expect(receiver.sockets).toHaveLength(0);

  breaks = false;
  const request = await waitFor(() => receiver.requests[0]);
  expect(request.headers['x-webhook-attempt']).toBe('1');
  expect(new Set(proxy.targets)).toEqual(new Set([`127.0.0.1:${receiver.port}`]));
  expect(receiver.requests).toHaveLength(1);
  await waitFor(async () => String((await delivery())?.['state']) === 'delivered');
  expect(await delivery()).toMatchObject({ attemptCount: 1 });
});
