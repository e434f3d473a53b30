// The main path: a change becomes a signed request to every webhook, also through an egress proxy.
import { hourMs, minuteMs } from '../../lib/platform/duration.ts';
import { startConnectProxy } from '../support/connect-proxy.ts';
import { type ReceivedRequest, startReceiver } from '../support/receivers.ts';
import { startService } from '../support/service.ts';
import { useReceiver, useService } from '../support/use-service.ts';
import { waitFor } from '../support/wait-for.ts';
import { registerWebhook, reportChange } from '../support/webhook-calls.ts';
import { itemsOf } from '../integration/api/problems.ts';
import type { Payload } from '../integration/api/resource-calls.ts';

const service = useService();
const receiver = useReceiver((response) => response.writeHead(200).end('{"received":true}'));

beforeAll(async () => {
  const url = `${receiver.url}/hook`;
  const entities = ['agent', 'context', 'contextfile'];
  await registerWebhook(service, { url, entities });
});

function payloadOf(request: ReceivedRequest): Payload {
  return JSON.parse(request.body.toString('utf8')) as Payload;
}

async function received(event: string, uid: string): Promise<ReceivedRequest> {
  return waitFor(
    () =>
      receiver.requests.find((request) => {
        const payload = payloadOf(request);
        return payload.event === event && payload.data['uid'] === uid;
      }),
    { what: `${event} of ${uid}` },
  );
}

test('a created agent arrives complete, with the four headers of the contract', async () => {
  const created = await service.call('POST', '/agents', {
    body: { agentName: 'Support', externalTenantId: 'tenant-1', live: true },
  });
  expect(created.status).toBe(201);
  const request = await received('agent.created', String(created.body['uid']));
  const payload = payloadOf(request);
  expect(payload).toEqual({
    eventId: expect.stringMatching(/^evt_[0-9a-z]{26}$/),
    event: 'agent.created',
    timestamp: created.body['createdAt'],
    appUid: service.app.appUid,
    version: 1,
    data: created.body,
    sequence: 1,
  });
  expect(request.method).toBe('POST');
  expect(request.headers['content-type']).toBe('application/json');
  expect(request.headers['x-webhook-event-id']).toBe(payload.eventId);
  expect(request.headers['x-webhook-attempt']).toBe('1');
  const sentAt = String(request.headers['x-webhook-timestamp']);
  expect(new Date(sentAt).toISOString()).toBe(sentAt);
});

test('a failed delivery shows how long its attempt took, and when the next one is due', async () => {
  await using failing = await startReceiver((response) => response.writeHead(500).end('busy'));
  const { uid } = await registerWebhook(service, { url: failing.url, retrySchedule: ['1h'] });
  const eventId = await reportChange(service);
  const path = `/webhooks/${uid}/deliveries?state=retrying`;
  const delivery = await waitFor(async () => itemsOf(await service.call('GET', path))[0], {
    what: 'the delivery in the list',
  });
  expect(delivery).toMatchObject({ eventId, statusClass: '5xx', attemptCount: 1 });
  const [attempt] = delivery['attempts'] as unknown as { at: string; ms: Record<string, number> }[];
  expect(attempt).toMatchObject({ status: 500, errorClass: 'status', responseSample: 'busy' });
  // Only the phases that took place: an address needs no DNS, and plain http no TLS.
  expect(Object.keys(attempt?.ms ?? {}).toSorted()).toEqual(['connect', 'firstByte', 'total']);
  const { connect, firstByte, total = NaN } = attempt?.ms ?? {};
  for (const ms of [connect, firstByte]) {
    expect(ms).toBeGreaterThanOrEqual(0);
    expect(ms).toBeLessThanOrEqual(total);
  }
  const waitMs = Date.parse(String(delivery['nextAttemptAt'])) - Date.parse(attempt?.at ?? '');
  // The jitter is up to 15 %, and the attempt may have taken its 5 s.
  expect(waitMs).toBeGreaterThanOrEqual(hourMs);
  expect(waitMs).toBeLessThan(1.15 * hourMs + minuteMs);
  await service.call('DELETE', `/webhooks/${uid}`);
});

test('while the egress proxy fails no attempt is counted, and once it works the event arrives through it', async () => {
  let breaks = true;
  await using proxy = await startConnectProxy(() => (breaks ? 'break' : 'connect'));
  const proxyUrl = `http://127.0.0.1:${proxy.port}`;
  await using proxied = await startService({ env: { HERALD_EGRESS_PROXY: proxyUrl } });
  await using own = await startReceiver((response) => response.end());
  const webhook = await registerWebhook(proxied, { url: `${own.url}/hook` });
  const eventId = await reportChange(proxied);
  const delivery = async () =>
    itemsOf(await proxied.call('GET', `/events/${eventId}/deliveries`))[0];
  await waitFor(() => proxy.targets.length >= 2, { what: 'a second request to the proxy' });
  expect(await delivery()).toMatchObject({ webhookUid: webhook.uid, state: 'pending' });
  expect(own.sockets).toHaveLength(0);

  breaks = false;
  const request = await waitFor(() => own.requests[0]);
  expect(request.headers['x-webhook-attempt']).toBe('1');
  expect(new Set(proxy.targets)).toEqual(new Set([`127.0.0.1:${own.port}`]));
  expect(own.requests).toHaveLength(1);
  await waitFor(async () => String((await delivery())?.['state']) === 'delivered');
  expect(await delivery()).toMatchObject({ attemptCount: 1 });
});
