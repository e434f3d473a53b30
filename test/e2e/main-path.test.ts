// The main path: a change becomes a signed request to every webhook.
import { createHmac } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Webhook } from 'standardwebhooks';
import { hourMs, minuteMs } from '../../lib/platform/duration.ts';
import { type ReceivedRequest, type Receiver, startReceiver } from '../support/receivers.ts';
import { startService, type TestService } from '../support/service.ts';
import { waitFor } from '../support/wait-for.ts';
import { registerWebhook, reportChange } from '../support/webhook-calls.ts';
import { itemsOf } from '../integration/api/problems.ts';
import type { Payload } from '../integration/api/resource-calls.ts';

let service: TestService;
let receiver: Receiver;
let secret: string;
let webhookUid: string;

beforeAll(async () => {
  service = await startService();
  receiver = await startReceiver((response) => response.writeHead(200).end('{"received":true}'));
  const url = `${receiver.url}/hook`;
  const entities = ['agent', 'context', 'contextfile'];
  ({ secret, uid: webhookUid } = await registerWebhook(service, { url, entities }));
});

afterAll(async () => {
  await receiver?.[Symbol.asyncDispose]();
  await service?.[Symbol.asyncDispose]();
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

test('the signature verifies against the raw body with the secret as it was returned', async () => {
  const created = await service.call('POST', '/agents', {
    body: { agentName: 'Zoë 😀', externalTenantId: 'tenant-ü' },
  });
  const request = await received('agent.created', String(created.body['uid']));
  const expected = createHmac('sha256', secret).update(request.body).digest('hex');
  expect(request.headers['x-webhook-signature']).toBe(`sha256=${expected}`);
});

test('an independent Standard Webhooks library verifies the delivery, and rejects an altered one', async () => {
  const created = await service.call('POST', '/agents', {
    body: { agentName: 'Standard', externalTenantId: 'tenant-1' },
  });
  const request = await received('agent.created', String(created.body['uid']));
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

test('a delivery sets lastTriggeredAt of its webhook', async () => {
  const agent = await service.call('POST', '/agents', {
    body: { agentName: 'Trigger', externalTenantId: 'tenant-1' },
  });
  await received('agent.created', String(agent.body['uid']));
  const at = await waitFor(async () => {
    const webhook = await service.call('GET', `/webhooks/${webhookUid}`);
    return webhook.body['lastTriggeredAt'] === null ? undefined : webhook.body['lastTriggeredAt'];
  });
  expect(Date.parse(String(at))).toBeGreaterThan(Date.now() - 60_000);
});

test('an event can be read back with its payload, its deliveries and their attempts', async () => {
  const agent = await service.call('POST', '/agents', {
    body: { agentName: 'History', externalTenantId: 'tenant-1' },
  });
  const request = await received('agent.created', String(agent.body['uid']));
  const { eventId } = payloadOf(request);
  const event = await service.call('GET', `/events/${eventId}`);
  expect(event.body['payload']).toEqual(payloadOf(request));
  const delivery = await waitFor(async () => {
    const { body } = await service.call('GET', `/events/${eventId}/deliveries`);
    const [first] = body['data'] as unknown as Record<string, unknown>[];
    return first?.['state'] === 'delivered' ? first : undefined;
  });
  expect(delivery).toMatchObject({
    eventId,
    webhookUid,
    event: 'agent.created',
    attemptCount: 1,
    nextAttemptAt: null,
    attempts: [
      {
        n: 1,
        trigger: 'event',
        status: 200,
        errorClass: null,
        ms: { firstByte: expect.any(Number), total: expect.any(Number) },
        responseSample: '{"received":true}',
      },
    ],
  });
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
