// The main path: a change becomes a signed request to every webhook, also through an egress proxy.
import { createHmac } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import { hourMs, minuteMs } from '../../lib/platform/duration.ts';
import { startConnectProxy } from '../support/connect-proxy.ts';
import { type ReceivedRequest, startReceiver } from '../support/receivers.ts';
import { startService } from '../support/service.ts';
import { useReceiver, useService } from '../support/use-service.ts';
import { waitFor } from '../support/wait-for.ts';
import { registerWebhook, reportChange } from '../support/webhook-calls.ts';
import { itemsOf } from '../integration/api/problems.ts';
import type { Payload } from '../integration/api/resource-calls.ts';

let secret: string;

const service = useService();
const receiver = useReceiver((response) => response.writeHead(200).end('{"received":true}'));

beforeAll(async () => {
  const url = `${receiver.url}/hook`;
  const entities = ['agent', 'context', 'contextfile'];
  ({ secret } = await registerWebhook(service, { url, entities }));
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

test('the signatures verify against the raw body with the secret as it was returned', async () => {
  const created = await service.call('POST', '/agents', {
    body: { agentName: 'Zoë 😀', externalTenantId: 'tenant-ü' },
  });
  const request = await received('agent.created', String(created.body['uid']));
  const expected = createHmac('sha256', secret).update(request.body).digest('hex');
  expect(request.headers['x-webhook-signature']).toBe(`sha256=${expected}`);
  // An independent library verifies the delivery, and rejects an altered one.
  const text = request.body.toString('utf8');
  const headers = request.headers as Record<string, string>;
  const reader = new Webhook(secret);
  expect(reader.verify(text, headers)).toEqual(payloadOf(request));
  expect(() => reader.verify(`${text} `, headers)).toThrow();
});

test('all nine events are sent, each once, with the resource after the change or before its deletion', async () => {
  const agent = await service.call('POST', '/agents', {
    body: { agentName: 'Nine', externalTenantId: 'tenant-9' },
  });
  const agentPath = `/agents/${String(agent.body['uid'])}`;
  await service.call('PATCH', agentPath, { body: { live: true } });
  await service.call('DELETE', agentPath);
  const context = await service.call('POST', '/contexts', {
    body: { contextName: 'Manuals', externalTenantId: 'tenant-9' },
  });
  const contextPath = `/contexts/${String(context.body['uid'])}`;
  await service.call('PATCH', contextPath, { body: { description: 'All of them' } });
  const file = await service.call('POST', `${contextPath}/files`, {
    body: { fileName: 'a.pdf', contentType: 'application/pdf', sizeBytes: 10 },
  });
  const filePath = `${contextPath}/files/${String(file.body['uid'])}`;
  await service.call('PATCH', filePath, { body: { processingStatus: 'ready' } });
  await service.call('DELETE', filePath);
  await service.call('DELETE', contextPath);

  const agentUid = String(agent.body['uid']);
  const contextUid = String(context.body['uid']);
  const fileUid = String(file.body['uid']);
  const last = await received('context.deleted', contextUid);
  expect(payloadOf(last).data).toMatchObject({ description: 'All of them' });
  expect(payloadOf(await received('agent.updated', agentUid)).data['live']).toBe(true);
  expect(payloadOf(await received('agent.deleted', agentUid)).data['live']).toBe(true);
  expect(payloadOf(await received('contextfile.created', fileUid)).data).toMatchObject({
    externalTenantId: 'tenant-9',
    processingStatus: 'pending',
    contextUid,
  });
  await received('contextfile.updated', fileUid);
  await received('contextfile.deleted', fileUid);
  await received('context.created', contextUid);
  await received('context.updated', contextUid);
  const eventIds = receiver.requests.map((request) => payloadOf(request).eventId);
  expect(new Set(eventIds).size).toBe(eventIds.length);
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
