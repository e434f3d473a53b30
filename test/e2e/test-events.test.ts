// Test events, and tests with the sample of another event.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Webhook } from 'standardwebhooks';
import { payloadFaults } from '../support/payload-schema.ts';
import { type ReceivedRequest, type Receiver, startReceiver } from '../support/receivers.ts';
import { startService, type TestService } from '../support/service.ts';
import { waitFor } from '../support/wait-for.ts';
import { registerWebhook, reportChange } from '../support/webhook-calls.ts';
import { expectProblem, faultsOf, itemsOf } from '../integration/api/problems.ts';

let service: TestService;
let receiver: Receiver;

beforeAll(async () => {
  service = await startService();
  receiver = await startReceiver((response) => response.writeHead(200).end());
});

afterAll(async () => {
  await receiver?.[Symbol.asyncDispose]();
  await service?.[Symbol.asyncDispose]();
});

interface Hook {
  uid: string;
  secret: string;
  path: string;
}

async function newHook(path: string, fields: Record<string, unknown> = {}): Promise<Hook> {
  return { ...(await registerWebhook(service, { url: receiver.url + path, ...fields })), path };
}

function requestsOf({ path }: Hook): ReceivedRequest[] {
  return receiver.requests.filter((request) => request.path === path);
}

/** Sends a test. Returns the first request with its event. */
async function tested(hook: Hook, body: unknown) {
  const answer = await service.call('POST', `/webhooks/${hook.uid}/test`, { body });
  expect(answer.status).toBe(202);
  const eventId = String(answer.body['eventId']);
  const isDelivered = { eventId, webhookUid: hook.uid, state: 'delivered' } as const;
  await waitFor(async () => (await service.store.deliveries.countDocuments(isDelivered)) === 1);
  const [request] = requestsOf(hook);
  const headers = (request?.headers ?? {}) as Record<string, string>;
  const payload = new Webhook(hook.secret).verify(request?.body ?? '', headers);
  return { answer, eventId, headers, payload: payload as { event: string } };
}

async function listedIds(): Promise<unknown[]> {
  const events = itemsOf(await service.call('GET', '/events?limit=200'));
  return events.map((event) => event['eventId']);
}

test('a test event is signed, marked, sent to one webhook only, and not listed as a change', async () => {
  const hook = await newHook('/tested', { events: ['agent.deleted'] });
  const other = await newHook('/not-tested');
  const { eventId, headers, payload } = await tested(hook, {});
  const data = { uid: hook.uid, test: true };
  expect(payload).toMatchObject({ eventId, event: 'webhook.test', test: true, data });
  expect(payloadFaults(payload)).toEqual([]);
  expect(headers).toMatchObject({ 'x-webhook-test': 'true' });
  expect(requestsOf(other)).toEqual([]);
  expect(await listedIds()).not.toContain(eventId);
  await service.call('PATCH', `/webhooks/${hook.uid}`, { body: { active: false } });
  const refused = await service.call('POST', `/webhooks/${hook.uid}/test`, { body: {} });
  expectProblem(refused, 409, 'conflict');
});

test('the sample of an event is sent as a test: in no list, order or replay of events', async () => {
  const hook = await newHook('/sampled', { entities: ['context'], ordering: 'resource' });
  const since = new Date().toISOString();
  const { answer, eventId, headers, payload } = await tested(hook, { event: 'agent.deleted' });
  expect(answer.body).toMatchObject({ event: 'agent.deleted', webhookUid: hook.uid });
  expect(payload).toMatchObject({ eventId, event: 'agent.deleted', test: true });
  expect(payloadFaults(payload)).toEqual([]);
  expect(headers).toMatchObject({ 'x-webhook-test': 'true' });
  expect(headers['x-webhook-sequence']).toBeUndefined();
  expect(payload).not.toHaveProperty('sequence');
  expect(await listedIds()).not.toContain(eventId);
  await service.call('PATCH', `/webhooks/${hook.uid}`, { body: { entities: ['agent'] } });
  const states = ['delivered', 'never_attempted'];
  const dryRun = { since, states, events: ['agent.deleted'], dryRun: true };
  const counted = await service.call('POST', `/webhooks/${hook.uid}/replays`, { body: dryRun });
  expect(counted.body['count']).toBe(0);
});

test('a change is not marked as a test', async () => {
  const hook = await newHook('/changed');
  await reportChange(service, { externalTenantId: 'tenant-1' });
  const [request] = await waitFor(() => requestsOf(hook).length > 0 && requestsOf(hook));
  expect(request?.headers).not.toHaveProperty('x-webhook-test');
  expect(JSON.parse(String(request?.body))).not.toHaveProperty('test');
});

test('a webhook is not tested with an event of another kind', async () => {
  const hook = await newHook('/of-resources');
  const body = { event: 'webhook.failing' };
  const refused = await service.call('POST', `/webhooks/${hook.uid}/test`, { body });
  expect(faultsOf(refused)).toEqual(['#/event not_of_kind']);
});
