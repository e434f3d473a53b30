// A single delivery: its workflow, and the request as the receiver got it, without secrets.
import {
  insertEvent,
  insertWebhook,
  newAttempt,
  newDelivery,
  newEvent,
} from '../../support/fixtures.ts';
import { partitionId } from '../../../lib/model/partition.ts';
import { makeTestAdmin, type TestAdmin } from '../../support/admin-client.ts';
import type { Answer } from '../../support/api-client.ts';
import { useReceiver, useService } from '../../support/use-service.ts';
import { waitFor } from '../../support/wait-for.ts';

let superuser: TestAdmin;
const closed = 'http://127.0.0.1:1/';
const at = new Date('2026-11-20T12:00:00.250Z');

const service = useService();
const receiver = useReceiver((response, { path }) => {
  response.writeHead(path === '/500' ? 500 : 204).end();
});

beforeAll(async () => {
  superuser = await makeTestAdmin(service);
});

const show = (eventId: string, webhookUid: string): Promise<Answer> =>
  service.call('GET', `/events/${eventId}/deliveries/${webhookUid}`);

interface Shown {
  method: string;
  url: string;
  headers: { name: string; value: string }[];
  body: string | null;
}
const requestOf = ({ body }: Answer): Shown => body['request'] as unknown as Shown;

async function register(fields: Record<string, unknown>): Promise<Record<string, unknown>> {
  const url = `${receiver.url}/hook?team=search`;
  const created = await service.call('POST', '/webhooks', {
    body: { url, entities: ['agent'], ...fields },
  });
  expect(created.status).toBe(201);
  return created.body;
}

async function change(externalTenantId: string): Promise<string> {
  const body = { agentName: 'Añá', externalTenantId };
  await service.call('POST', '/agents', { body });
  const { events } = service.store;
  const event = await events.findOne({ externalTenantId }, { sort: { _id: -1 } });
  return String(event?._id);
}

async function delivered(eventId: string, webhookUid: string): Promise<Answer> {
  return waitFor(
    async () => {
      const answer = await show(eventId, webhookUid);
      return answer.body['state'] === 'delivered' && answer;
    },
    { what: 'the delivery' },
  );
}

test('an admin sees the request that the receiver got, with … for signatures, headers and auth', async () => {
  const secrets = { value: 'tenant-secret-value', token: 'bearer-secret-token' };
  const { uid, secret } = await register({
    externalTenantIds: ['shown'],
    headers: { 'X-Tenant-Key': secrets.value },
    auth: { type: 'bearer', token: secrets.token },
  });
  const eventId = await change('shown');
  const ofKey = await delivered(eventId, String(uid));
  const path = `/apps/${service.app.appUid}/events/${eventId}/deliveries/${String(uid)}`;
  const answer = await superuser.call('GET', path);
  const [received] = receiver.requests.slice(-1);
  const { method, url, headers, body } = requestOf(answer);
  expect([method, url]).toEqual([received?.method, receiver.url + received?.path]);
  expect(body).toBe(received?.body.toString('utf8'));
  const hidden = ['X-Tenant-Key', 'Authorization', 'X-Webhook-Signature', 'webhook-signature'];
  const raw = received?.rawHeaders ?? [];
  const sent = raw.flatMap((name, n) => (n % 2 === 0 ? [{ name, value: raw[n + 1] ?? '' }] : []));
  const ofHttp = ['host', 'connection', 'content-length'];
  const expected = sent.filter(({ name }) => !ofHttp.includes(name.toLowerCase()));
  const signatures = sent.filter(({ name }) => hidden.includes(name)).map(({ value }) => value);
  expect(signatures).toHaveLength(hidden.length);
  expect(headers).toEqual(
    expected.map(({ name, value }) => ({ name, value: hidden.includes(name) ? '…' : value })),
  );
  for (const text of [...Object.values(secrets), String(secret), ...signatures]) {
    expect(answer.text).not.toContain(text);
  }
  const own = ['X-Tenant-Key', 'Authorization'];
  expect(requestOf(ofKey)).toEqual({
    method,
    url: receiver.url,
    headers: headers.filter(({ name }) => !own.includes(name)),
    body,
  });
});

test.each([
  ['parallel', '/hook', /^(?:agent\.\w+|batch)\//],
  ['resource', '/hook', /^(?:agent\.\w+|batch)\//],
  ['resource', '/500', /^order\//],
])(
  'for a delivery that is %s, to %s, the workflow exists in Temporal as %s',
  async (ordering, path, expected) => {
    const externalTenantId = ordering + path;
    const url = receiver.url + path;
    const { uid } = await register({ externalTenantIds: [externalTenantId], ordering, url });
    const eventId = await change(externalTenantId);
    await waitFor(
      async () => {
        const { body } = await show(eventId, String(uid));
        const { workflowId, attemptCount } = body;
        if (attemptCount !== 1 || !expected.test(String(workflowId))) return false;
        const handle = service.temporal.client.workflow.getHandle(String(workflowId));
        return (await handle.describe().catch(() => null)) !== null;
      },
      { what: 'the workflow' },
    );
  },
);

test('a delivery that a job sends again names the workflow of its page', async () => {
  const { _id: webhookUid } = await insertWebhook(service, { url: closed });
  const event = await insertEvent(service, [webhookUid], at);
  const job = { eventId: event._id, webhookUid, jobUid: 'job_1', jobPage: 3 };
  await service.store.deliveries.insertOne(newDelivery(service, at, job));
  const { body } = await show(event._id, webhookUid);
  expect(body['workflowId']).toBe('job/job_1/3');
});

test.each([
  ['was sent again', { requeuedAs: 'replay', requeuedAt: at } as const, /^order\//],
  ['was not', {}, /^batch\//],
])(
  'an ordered delivery settled by its only attempt and %s names %j',
  async (_what, fields, expected) => {
    const { _id: webhookUid } = await insertWebhook(service, { url: closed });
    const event = newEvent(service, [webhookUid], at);
    const order = [{ webhookUid, n: 1 }];
    const dispatched = { order, workflowId: 'batch/1', dispatchedAt: at };
    await service.store.events.insertOne({ ...event, ...dispatched });
    const delivery = newDelivery(service, at, {
      eventId: event._id,
      webhookUid,
      state: 'delivered',
      attemptCount: 1,
      attempts: [newAttempt(at)],
      ...fields,
    });
    await service.store.deliveries.insertOne(delivery);
    expect((await show(event._id, webhookUid)).body['workflowId']).toMatch(expected);
  },
);

test('an ordered delivery that is pending names the one that it waits for', async () => {
  const { store, app } = service;
  const { _id: webhookUid } = await insertWebhook(service, { url: closed });
  const resource = { entity: 'agent', resourceUid: 'ordered' } as const;
  const events = [1, 2, 3].map((n) => {
    return { ...newEvent(service, [webhookUid], at), ...resource, order: [{ webhookUid, n }] };
  });
  await store.events.insertMany(events);
  const key = { appUid: app.appUid, webhookUid, ...resource };
  const progress = { settled: 1, lease: null, signalAt: null };
  await store.partitions.insertOne({ _id: partitionId(key), ...key, ...progress });
  const eventId = String(events[1]?._id);
  const head = { eventId, webhookUid, state: 'retrying' } as const;
  await store.deliveries.insertOne(newDelivery(service, at, head));
  const shown = await Promise.all(events.map(({ _id }) => show(_id, webhookUid)));
  const waitsFor = [null, null, { eventId, state: 'retrying' }];
  expect(shown.map(({ body }) => body['waitsFor'])).toEqual(waitsFor);
});

test('the headers are those of the latest attempt, or, without one, of a first attempt made now', async () => {
  const retryScheduleMs = Array<number>(6).fill(1_000);
  const fieldsOf = { url: closed, retryScheduleMs, cloudEvents: true };
  const { _id: webhookUid } = await insertWebhook(service, fieldsOf);
  const [made, open] = [
    await insertEvent(service, [webhookUid], at),
    await insertEvent(service, [webhookUid], at),
  ];
  const attempts = [newAttempt(at, { n: 4 }), newAttempt(at, { n: 5 })];
  const fields = { eventId: made._id, webhookUid, attempts, state: 'delivered' } as const;
  await service.store.deliveries.insertOne(newDelivery(service, at, fields));
  const headers = async (eventId: string): Promise<Record<string, string>> => {
    const shown = requestOf(await show(eventId, webhookUid)).headers;
    return Object.fromEntries(shown.map(({ name, value }) => [name, value]));
  };
  expect(await headers(made._id)).toMatchObject({
    'X-Webhook-Attempt': '5',
    'X-Webhook-Attempts-Left': '2',
    'ce-id': made._id,
    'X-Webhook-Timestamp': at.toISOString(),
    'webhook-timestamp': String(Math.floor(at.getTime() / 1_000)),
  });
  const before = new Date().toISOString();
  const first = await headers(open._id);
  expect([first['X-Webhook-Attempt'], first['X-Webhook-Attempts-Left']]).toEqual(['1', '6']);
  expect(String(first['X-Webhook-Timestamp']) >= before).toBe(true);
});

test('the body is null after an erasure', async () => {
  const { _id: webhookUid } = await insertWebhook(service, { url: closed });
  const event = await insertEvent(service, [webhookUid], at);
  await service.store.events.updateOne({ _id: event._id }, { $set: { body: '', erasedAt: at } });
  expect(requestOf(await show(event._id, webhookUid))).toMatchObject({
    body: null,
    url: new URL(closed).origin,
  });
});

test('a deleted webhook and one that receives mail have no request', async () => {
  const mail = { kind: 'operations', url: 'mailto:ops@example.com' } as const;
  const { _id: mailed } = await insertWebhook(service, mail);
  for (const webhookUid of ['whk_deleted', mailed]) {
    const event = await insertEvent(service, [webhookUid], at);
    const { status, body } = await show(event._id, webhookUid);
    expect([status, body['state'], body['request']]).toEqual([200, 'pending', null]);
  }
});
