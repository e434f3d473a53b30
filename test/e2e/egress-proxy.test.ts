// A service behind an egress proxy: deliveries go through it, and its absence costs no attempt.
import { expect, test } from '@jest/globals';
import type { JsonBody } from '../support/api-client.ts';
import { startConnectProxy } from '../support/connect-proxy.ts';
import { closedPort, startReceiver } from '../support/receivers.ts';
import { startService } from '../support/service.ts';
import { waitFor } from '../support/wait-for.ts';
import { registerWebhook } from '../support/webhook-calls.ts';

test('while the proxy is away nothing is attempted, and once it is there the event arrives through it', async () => {
  const port = await closedPort();
  const proxyUrl = `http://127.0.0.1:${port}`;
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
  expect(await delivery()).toMatchObject({ webhookUid: webhook.uid, state: 'pending' });
  expect(receiver.sockets).toHaveLength(0);

  await using proxy = await startConnectProxy(undefined, port);
  const request = await waitFor(() => receiver.requests[0]);
  expect(request.headers['x-webhook-attempt']).toBe('1');
  expect(proxy.targets).toEqual([`127.0.0.1:${receiver.port}`]);
  await waitFor(async () => String((await delivery())?.['state']) === 'delivered');
  expect(await delivery()).toMatchObject({ attemptCount: 1 });
});
