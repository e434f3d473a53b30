// Webhooks: registering, reading, changing, deleting, and their limit.
import { secretLocation } from '../../../lib/webhooks/secrets.ts';
import { addApp, type TestApp } from '../../support/add-app.ts';
import type { Answer, JsonBody } from '../../support/api-client.ts';
import { callPatiently } from '../../support/call-patiently.ts';
import { useService } from '../../support/use-service.ts';
import { expectProblem, faultsOf } from './problems.ts';

let client: TestApp;
let appUid: string;

const service = useService({
  worker: false,
  env: {
    HERALD_ALLOW_HTTP_WEBHOOKS: 'false',
    HERALD_ALLOW_CIDRS: '',
    HERALD_WEBHOOK_PORTS: '443,8443',
  },
});

// Each test has its own application, because the limit and the list are per application.
beforeEach(async () => {
  client = await addApp(service);
  appUid = client.appUid;
});

const valid = { url: 'https://receiver.example.com/hook', entities: ['agent'], active: true };

async function register(body: Record<string, unknown> = valid): Promise<Answer> {
  return callPatiently(() => client.call('POST', '/webhooks', { body }));
}

/** Checks a URL without registering it. */
async function check(body: { url: string; kind?: string }): Promise<JsonBody> {
  const answer = await client.call('POST', '/webhooks/check-url', { body });
  expect(answer.status).toBe(200);
  return answer.body;
}

async function listed(): Promise<JsonBody[]> {
  const answer = await client.call('GET', '/webhooks');
  expect(answer.status).toBe(200);
  return answer.body as unknown as JsonBody[];
}

test('a registration returns the whole webhook, its secret and its Location', async () => {
  const answer = await register({ url: valid.url, entities: ['contextfile', 'agent'] });
  expect(answer.status).toBe(201);
  expect(answer.body).toEqual({
    uid: expect.stringMatching(/^whk_[0-9a-z]{26}$/),
    kind: 'resources',
    url: valid.url,
    entities: ['contextfile', 'agent'],
    active: true,
    secret: expect.stringMatching(/^whsec_[A-Za-z0-9+/]{43}=$/),
    name: null,
    description: null,
    metadata: null,
    events: null,
    externalTenantIds: null,
    retrySchedule: null,
    ordering: 'parallel',
    ratePerSecond: null,
    ratePerSecondPerTenant: null,
    filter: null,
    signatures: ['v1'],
    cloudEvents: false,
    disabledReason: null,
    failingSince: null,
    deactivatesAt: null,
    deactivationWarning: null,
    previousSecretExpiresAt: null,
    heldCount: 0,
    headers: null,
    auth: null,
    tls: null,
    warnings: [],
    createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
    updatedAt: answer.body['createdAt'],
    lastTriggeredAt: null,
  });
  const secret = String(answer.body['secret']);
  expect(Buffer.from(secret.slice('whsec_'.length), 'base64')).toHaveLength(32);
  const path = `/api/v1/appuid/${appUid}/webhooks/${String(answer.body['uid'])}`;
  expect(answer.headers.get('location')).toBe(path);
  expect((await client.raw('GET', path)).status).toBe(200);
});

test('only the registration returns the secret, a different one each time', async () => {
  const { secret, ...rest } = (await register()).body;
  const path = `/webhooks/${String(rest['uid'])}`;
  expect((await client.call('GET', path)).body).toEqual(rest);
  expect(await listed()).toEqual([rest]);
  const changed = await client.call('PATCH', path, { body: { active: false } });
  expect(changed.body).not.toHaveProperty('secret');
  expect((await register()).body['secret']).not.toBe(secret);
});

test('the secret is sealed at rest, bound to its own row', async () => {
  const { secret, uid } = (await register()).body;
  const stored = await service.store.webhooks.findOne({ _id: String(uid) });
  const text = JSON.stringify(stored);
  const bare = String(secret).slice('whsec_'.length);
  expect(text).not.toContain(bare);
  expect(text).not.toContain(Buffer.from(String(secret)).toString('base64').slice(0, 40));
  if (stored === null) throw new Error('the webhook is not stored');
  const box = service.context.secretBox;
  expect(box.open(stored.secret, secretLocation(stored))).toBe(secret);
  expect(() => box.open(stored.secret, secretLocation({ appUid, _id: 'whk_other' }))).toThrow();
});

test('the list is a plain array in the order of registration, empty at first', async () => {
  expect(await listed()).toEqual([]);
  const uids: unknown[] = [];
  for (let i = 0; i < 3; i += 1) {
    const answer = await register({ ...valid, url: `https://r${i}.example.com/` });
    uids.push(answer.body['uid']);
    // Uids sort by the millisecond, so the next one must not be made in the same one.
    const at = Date.parse(String(answer.body['createdAt']));
    while (Date.now() <= at) await new Promise(setImmediate);
  }
  expect((await listed()).map((webhook) => webhook['uid'])).toEqual(uids);
});

test.each([
  ['http', 'http://receiver.example.com/'],
  ['loopback', 'https://127.0.0.1/'],
  ['a private address', 'https://10.0.0.1/'],
  ['the metadata address', 'https://169.254.169.254/latest/'],
  ['another port', 'https://receiver.example.com:444/'],
  ['2,049 characters', `https://receiver.example.com/${'x'.repeat(2_049 - 29)}`],
  ['nothing', ''],
])('a URL with %s gets 422 by POST and by PATCH, and nothing is stored', async (_what, url) => {
  const created = await register({ ...valid, url });
  expectProblem(created, 422, 'invalid_webhook_url');
  const problem = { code: created.body['code'], detail: created.body['detail'] };
  expect(await check({ url })).toEqual({ url: null, problems: [problem] });
  expect(faultsOf(created)).toEqual(['#/url invalid_webhook_url']);
  expect(await listed()).toEqual([]);
  const { uid } = (await register()).body;
  const changed = await client.call('PATCH', `/webhooks/${String(uid)}`, { body: { url } });
  expectProblem(changed, 422, 'invalid_webhook_url');
  expect((await listed()).map((webhook) => webhook['url'])).toEqual([valid.url]);
});

test('a URL is stored and shown in its canonical form, after POST and after PATCH', async () => {
  const url = 'HTTPS://MÜNICH.example.com:8443/a/../b';
  const canonical = 'https://xn--mnich-kva.example.com:8443/b';
  expect(await check({ url })).toEqual({ url: canonical, problems: [] });
  expect(await listed()).toEqual([]);
  const created = await register({ ...valid, url });
  expect(created.body['url']).toBe(canonical);
  const body = { url: 'https://ex%61mple。com' };
  await client.call('PATCH', `/webhooks/${String(created.body['uid'])}`, { body });
  expect((await listed()).map((webhook) => webhook['url'])).toEqual(['https://example.com/']);
});

test('a change of one field keeps the others, by either path', async () => {
  const { secret, ...before } = (await register()).body;
  const path = `/webhooks/${String(before['uid'])}`;
  const stored = await service.store.webhooks.findOne({ _id: String(before['uid']) });
  const steps: Record<string, unknown>[] = [
    { active: false },
    { active: true },
    { url: 'https://other.example.com/' },
    { entities: ['context', 'contextfile'] },
    { ratePerSecond: 5, cloudEvents: true },
    { ratePerSecond: null, ratePerSecondPerTenant: 5 },
  ];
  let expected: Record<string, unknown> = before;
  for (const [index, body] of steps.entries()) {
    const either = index % 2 === 0 ? path : path.replace('/webhooks', '/webhooks/uid');
    const answer = await client.call('PATCH', either, { body });
    expect(answer.status).toBe(200);
    expected = { ...expected, ...body, updatedAt: answer.body['updatedAt'] };
    expect(answer.body).toEqual(expected);
    expect((await client.call('GET', path)).body).toEqual(expected);
  }
  const after = await service.store.webhooks.findOne({ _id: String(before['uid']) });
  expect(after?.secret).toEqual(stored?.secret);
  expect(secret).toBeDefined();
});

test.each([
  {},
  { ...valid, url: 'HTTPS://Receiver.example.com:443/hook' },
  { events: null, externalTenantIds: null, retrySchedule: null, ordering: 'parallel' },
])('a change to the same value, %j, writes nothing', async (body) => {
  const _id = String((await register()).body['uid']);
  const before = await service.store.webhooks.findOne({ _id });
  const rows = await service.store.auditLog.countDocuments({ appUid });
  const answer = await client.call('PATCH', `/webhooks/${_id}`, { body });
  expect(answer.body['updatedAt']).toBe(before?.updatedAt.toISOString());
  expect(await service.store.webhooks.findOne({ _id })).toEqual(before);
  expect(await service.store.auditLog.countDocuments({ appUid })).toBe(rows);
});

const webhooksPerAppMax = 100;

/** Inserts webhooks without the API, which would take too long for many. */
async function fill(count: number): Promise<void> {
  const { uid } = (await register()).body;
  const model = await service.store.webhooks.findOne({ _id: String(uid) });
  if (model === null) throw new Error('the webhook is not stored');
  const more = Array.from({ length: count - 1 }, (_, i) => ({
    ...model,
    _id: `${model._id}_${i}`,
  }));
  await service.store.webhooks.insertMany(more);
  await service.store.apps.updateOne({ _id: appUid }, { $set: { webhookCount: count } });
}

test('by default an application has at most 100 webhooks, and deleting one allows one more', async () => {
  await fill(webhooksPerAppMax - 1);
  const last = await register();
  expect(last.status).toBe(201);
  expectProblem(await register(), 409, 'limit_reached');
  const path = `/webhooks/${String(last.body['uid'])}`;
  const deletions = await Promise.all(Array.from({ length: 5 }, () => client.call('DELETE', path)));
  expect(deletions.map((answer) => answer.status).toSorted((a, b) => a - b)).toEqual([
    204, 404, 404, 404, 404,
  ]);
  expect((await register()).status).toBe(201);
  expectProblem(await register(), 409, 'limit_reached');
  expect(await listed()).toHaveLength(webhooksPerAppMax);
});

test('of 20 concurrent registrations at 95 webhooks exactly five succeed', async () => {
  await fill(95);
  const answers = await Promise.all(Array.from({ length: 20 }, () => register()));
  const statuses = answers.map((answer) => answer.status).toSorted((a, b) => a - b);
  expect(statuses).toEqual([...Array<number>(5).fill(201), ...Array<number>(15).fill(409)]);
  expect(await listed()).toHaveLength(webhooksPerAppMax);
  expect((await service.store.apps.findOne({ _id: appUid }))?.webhookCount).toBe(100);
});
