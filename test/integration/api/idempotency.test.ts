// Idempotency-Key: a repeated POST that creates something gets the first response and creates nothing.
import { addApp } from '../../support/add-app.ts';
import type { Answer } from '../../support/api-client.ts';
import { makeAuthority } from '../../support/certificates.ts';
import { callPatiently } from '../../support/call-patiently.ts';
import { insertEvent } from '../../support/fixtures.ts';
import { useService } from '../../support/use-service.ts';
import { eventsOf, makeContext } from './resource-calls.ts';
import { expectProblem } from './problems.ts';

const service = useService({ worker: false });

async function post(path: string, key: string, body: unknown): Promise<Answer> {
  const headers = { 'x-api-key': service.app.apiKey, 'idempotency-key': key };
  return service.call('POST', path, { headers, body });
}

const agent = { agentName: 'Once', externalTenantId: 't' };

interface Creation {
  path: string;
  body: object;
  /** A body of the same shape with other values. */
  other: object;
}

async function creations(): Promise<Creation[]> {
  const contextUid = await makeContext(service);
  const context = { contextName: 'Once', externalTenantId: 't' };
  const file = { fileName: 'f', contentType: 'a/b', sizeBytes: 1 };
  const change = { event: 'agent.updated', data: { uid: 'once', externalTenantId: 't' } };
  const webhook = { url: 'http://127.0.0.1:9/', entities: ['contextfile'] };
  return [
    { path: '/agents', body: agent, other: { ...agent, live: false } },
    { path: '/contexts', body: context, other: { ...context, description: null } },
    { path: `/contexts/${contextUid}/files`, body: file, other: { ...file, sizeBytes: 2 } },
    { path: '/changes', body: change, other: { ...change, event: 'agent.deleted' } },
    { path: '/webhooks', body: webhook, other: { ...webhook, active: true } },
    { path: '/accounts', body: { name: 'Once' }, other: { name: 'Twice' } },
  ];
}

test('a repeat gets the first response, including the secret of a webhook, and creates nothing', async () => {
  for (const { path, body } of await creations()) {
    const first = await post(path, 'repeat', body);
    const second = await post(path, 'repeat', body);
    expect([201, 202]).toContain(first.status);
    expect(second.status).toBe(first.status);
    expect(second.body).toEqual(first.body);
    expect(second.headers.get('location')).toBe(first.headers.get('location'));
  }
  expect(await eventsOf(service, 'once')).toHaveLength(1);
  expect(await service.store.agents.countDocuments({ agentName: 'Once' })).toBe(1);
  expect(await service.store.webhooks.countDocuments()).toBe(1);
  expect(await service.store.accounts.countDocuments({ name: 'Once' })).toBe(1);
  // The secret is stored sealed.
  const kept = JSON.stringify(await service.store.idempotencyKeys.find().toArray());
  expect(kept).not.toContain('whsec_');
});

test('a repeat returns the webhook secret even after the client certificate has expired', async () => {
  using authority = makeAuthority('Clients');
  const tls = authority.issue('one');
  const body = { url: 'https://127.0.0.1:9/', entities: ['agent'], tls };
  const first = await post('/webhooks', 'expired', body);
  expect(first.status).toBe(201);
  const { clock } = service.context;
  try {
    const laterMs = clock.now().getTime() + 61 * 24 * 60 * 60 * 1_000;
    service.context.clock = { now: () => new Date(laterMs) };
    expectProblem(await post('/webhooks', 'fresh', body), 400, 'invalid_request');
    const second = await post('/webhooks', 'expired', body);
    expect(second.body).toEqual(first.body);
  } finally {
    service.context.clock = clock;
  }
});

test('the same key with another body gets 422 and creates nothing', async () => {
  for (const { path, body, other } of await creations()) {
    expect((await post(path, 'other-body', body)).status).toBeLessThan(300);
    const before = await service.store.events.countDocuments();
    expectProblem(await post(path, 'other-body', other), 422, 'idempotency_key_reused');
    expect(await service.store.events.countDocuments()).toBe(before);
  }
});

test('the same key on another path or in another application is another key', async () => {
  const first = await post('/agents', 'shared', agent);
  const context = await post('/contexts', 'shared', { contextName: 'C', externalTenantId: 't' });
  expect(context.status).toBe(201);
  const [one, two] = [await makeContext(service), await makeContext(service)];
  const file = { fileName: 'f', contentType: 'a/b', sizeBytes: 1 };
  const files = [
    await post(`/contexts/${one}/files`, 'shared', file),
    await post(`/contexts/${two}/files`, 'shared', file),
  ];
  expect(files.map((answer) => answer.body['contextUid'])).toEqual([one, two]);
  const other = await addApp(service);
  const foreign = await other.call('POST', '/agents', {
    headers: { 'x-api-key': other.apiKey, 'idempotency-key': 'shared' },
    body: agent,
  });
  expect(foreign.status).toBe(201);
  expect(foreign.body['uid']).not.toBe(first.body['uid']);
});

test('another spelling of the path is the same path', async () => {
  const first = await post('/agents', 'spelling', agent);
  for (const path of ['/agents/', '/AGENTS']) {
    const answer = await post(path, 'spelling', agent);
    expect(answer.body).toEqual(first.body);
  }
});

test('a repeat gets the first response even if the data that it names was deleted', async () => {
  const make = async (path: string, body: object): Promise<string> =>
    String((await service.call('POST', path, { body })).body['uid']);
  const accountUid = await make('/accounts', { name: 'Short-lived' });
  const webhookUid = await make('/webhooks', { url: 'http://127.0.0.1:9/', entities: ['agent'] });
  const event = await insertEvent(service, [webhookUid]);
  const erased = await insertEvent(service, [webhookUid]);
  const since = '2026-01-01T00:00:00Z';
  const requests: [path: string, body: object][] = [
    ['/agents', { ...agent, accountUids: [accountUid] }],
    [`/events/${event._id}/resend`, { webhookUids: [webhookUid] }],
    [`/events/${erased._id}/resend`, {}],
    [`/webhooks/${webhookUid}/replays`, { since }],
    [`/webhooks/${webhookUid}/sync`, {}],
    [`/webhooks/${webhookUid}/secret/rotate`, {}],
  ];
  const postAll = async (key: string) =>
    Promise.all(requests.map(([path, body]) => post(path, key, body)));
  const made = [201, 202, 202, 202, 202, 200];
  const first = await postAll('gone');
  expect(first.map((answer) => answer.status)).toEqual(made);
  await service.call('DELETE', `/accounts/${accountUid}`);
  await service.call('DELETE', `/webhooks/${webhookUid}`);
  await service.store.events.updateOne({ _id: erased._id }, { $set: { erasedAt: new Date() } });
  const again = await postAll('gone');
  expect(again.map((answer) => answer.status)).toEqual(made);
  expect(again.map((answer) => answer.body)).toEqual(first.map((answer) => answer.body));
  const fresh = await postAll('fresh');
  expect(fresh.map((answer) => answer.body['code'])).toEqual([
    'unknown_account_uids',
    'unknown_webhook_uids',
    'conflict',
    ...Array<string>(3).fill('not_found'),
  ]);
});

test('a rejected request leaves the key free', async () => {
  const refused = await post('/agents', 'free', { ...agent, accountUids: ['acc_none'] });
  expectProblem(refused, 422, 'unknown_account_uids');
  const invalid = await post('/agents', 'free', {});
  expectProblem(invalid, 400, 'invalid_request');
  expect((await post('/agents', 'free', agent)).status).toBe(201);
});

test.each([
  ['/agents', agent],
  ['/changes', { event: 'context.updated', data: { uid: 'parallel', externalTenantId: 't' } }],
  ['/webhooks', { url: 'http://127.0.0.1:9/', entities: ['context'] }],
])(
  '20 concurrent posts to %s with one key create once and get the same response',
  async (path, body) => {
    const events = await service.store.events.countDocuments();
    const webhooks = await service.store.webhooks.countDocuments();
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => callPatiently(() => post(path, 'parallel', body))),
    );
    const good = answers.filter((answer) => answer.status < 300);
    expect(good).toHaveLength(20);
    expect(new Set(good.map((answer) => JSON.stringify(answer.body))).size).toBe(1);
    const isWebhook = path === '/webhooks';
    expect(await service.store.events.countDocuments()).toBe(events + (isWebhook ? 0 : 1));
    expect(await service.store.webhooks.countDocuments()).toBe(webhooks + (isWebhook ? 1 : 0));
    const app = await service.store.apps.findOne({ _id: service.app.appUid });
    expect(app?.webhookCount).toBe(
      await service.store.webhooks.countDocuments({ appUid: service.app.appUid }),
    );
  },
);

test.each(['a b', 'x'.repeat(256), '', 'kéy', 'a\tb'])(
  'the Idempotency-Key %j gets 400',
  async (key) => {
    expectProblem(await post('/agents', key, agent), 400, 'malformed_request');
  },
);

test('calls that take no Idempotency-Key ignore a malformed one', async () => {
  const headers = { 'x-api-key': service.app.apiKey, 'idempotency-key': 'a b' };
  expect((await post('/sdkusers/auth', 'a b', { externalId: 'keyless' })).status).toBe(200);
  expect((await service.call('GET', '/webhooks', { headers })).status).toBe(200);
  expect((await service.raw('GET', '/healthz', { headers })).status).toBe(200);
});
