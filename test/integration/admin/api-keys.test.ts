// CONFIGURE → API Management: API keys generated, listed, rolled and revoked by admins.
import { createApiContext } from '../../../api/context.ts';
import { serve } from '../../../api/serve.ts';
import { makeApiKey } from '../../../lib/access/api-keys.ts';
import { limits } from '../../../lib/limits.ts';
import { connectStore } from '../../../lib/mongo/connect.ts';
import { makeTestAdmin, type TestAdmin } from '../../support/admin-client.ts';
import { type Answer, createApiClient } from '../../support/api-client.ts';
import { useService } from '../../support/use-service.ts';
import { expectProblem, itemsOf } from '../api/problems.ts';
import { signIn, verify } from '../api/token-forge.ts';

let ada: TestAdmin;
let appUid: string;

const wish = { name: 'Back end', scopes: ['events:read', 'users:auth'] };

const service = useService({ worker: false });

beforeAll(async () => {
  ada = await makeTestAdmin(service);
});

beforeEach(async () => {
  const made = await ada.call('POST', '/apps', { body: { name: 'App' } });
  appUid = String(made.body['uid']);
});

async function generate(body: Record<string, unknown> = wish): Promise<Answer> {
  return ada.call('POST', `/apps/${appUid}/keys`, { body });
}

async function roll(uid: unknown, body: unknown = {}): Promise<Answer> {
  return ada.call('POST', `/apps/${appUid}/keys/${String(uid)}/roll`, { body });
}

/** Calls the API with a key and returns the status: 200 while the key is accepted. */
async function use(apiKey: unknown, apiUrl = service.apiUrl): Promise<number> {
  const headers = { 'x-api-key': String(apiKey) };
  const answer = await fetch(`${apiUrl}/api/v1/appuid/${appUid}/events`, { headers });
  await answer.text();
  return answer.status;
}

/** Runs `work` while the service's clock is fixed at a time. */
async function atTime(ms: number, work: () => Promise<void>): Promise<void> {
  const { clock } = service.context;
  service.context.clock = { now: () => new Date(ms) };
  try {
    await work();
  } finally {
    service.context.clock = clock;
  }
}

test('a generated key is shown once, works immediately, and has only its scopes', async () => {
  const made = await generate();
  expect(made.status).toBe(201);
  const { apiKey, ...shown } = made.body;
  expect(apiKey).toMatch(/^ahk_[0-9A-Za-z]{12}_[0-9A-Za-z]{49}$/);
  expect(shown).toEqual({
    uid: expect.stringMatching(/^key_[0-9a-z]{26}$/),
    keyId: String(apiKey).split('_')[1],
    ...wish,
    state: 'active',
    createdAt: expect.any(String),
    expiresAt: null,
    revokedAt: null,
    tokensRevokedAt: null,
    lastUsedAt: null,
    rolledTo: null,
  });
  expect(made.headers.get('location')).toBe(
    `/admin/api/apps/${appUid}/keys/${String(shown['uid'])}`,
  );
  expect(await use(apiKey)).toBe(200);
  const headers = { 'x-api-key': String(apiKey) };
  const webhooks = await service.raw('GET', `/api/v1/appuid/${appUid}/webhooks`, { headers });
  expectProblem(webhooks, 403, 'insufficient_scope');
  const again = await ada.call('GET', `/apps/${appUid}/keys/${String(shown['uid'])}`);
  expect(Object.keys(again.body)).not.toContain('apiKey');
  const list = await ada.call('GET', `/apps/${appUid}/keys`);
  for (const text of [again.text, list.text]) expect(text).not.toContain(String(apiKey).slice(17));
});

test('a repeat with the same Idempotency-Key returns the same key even after it has expired, and creates no other', async () => {
  const headers = { ...ada.headers, 'idempotency-key': 'generate-2' };
  const path = `/apps/${appUid}/keys`;
  const nowMs = service.context.clock.now().getTime();
  const body = { ...wish, expiresAt: new Date(nowMs + 600_000).toISOString() };
  const first = await ada.call('POST', path, { headers, body });
  expect(first.status).toBe(201);
  await atTime(nowMs + 600_001, async () => {
    expect((await ada.call('POST', path, { headers, body })).body).toEqual(first.body);
  });
  expect(itemsOf(await ada.call('GET', path))).toHaveLength(1);
});

test('a rolled key and its successor are both accepted until the overlap ends', async () => {
  const old = await generate();
  const rolled = await roll(old.body['uid'], { overlapSeconds: 60 });
  expect(rolled.status).toBe(201);
  expect(rolled.body).toMatchObject({ ...wish, state: 'active', expiresAt: null });
  const expiresAt = Date.parse(String(rolled.body['previousKey']?.['expiresAt']));
  expect(expiresAt - Date.parse(String(rolled.body['createdAt']))).toBe(60_000);
  expect(rolled.body['previousKey']).toMatchObject({
    uid: old.body['uid'],
    ...wish,
    state: 'active',
    rolledTo: rolled.body['uid'],
  });
  expect(await use(old.body['apiKey'])).toBe(200);
  expect(await use(rolled.body['apiKey'])).toBe(200);
  await atTime(expiresAt - 1, async () => {
    expect(await use(old.body['apiKey'])).toBe(200);
  });
  await atTime(expiresAt, async () => {
    expect(await use(old.body['apiKey'])).toBe(401);
    expect(await use(rolled.body['apiKey'])).toBe(200);
  });
});

// A process whose clock is behind must not accept a key that ended immediately, either.
test.each([
  [0, 'revoked', 401],
  [604_800, 'active', 200],
])('%d s of overlap leave the old key %s: %d', async (overlapSeconds, state, status) => {
  const old = await generate();
  const { body } = await roll(old.body['uid'], { overlapSeconds });
  expect(body['previousKey']?.['state']).toBe(state);
  await atTime(Date.now() - 20_000, async () => {
    expect([await use(old.body['apiKey']), await use(body['apiKey'])]).toEqual([status, 200]);
  });
});

test('a key that expires before the overlap ends keeps its expiry, and its successor lives as long', async () => {
  const expiresAt = new Date(Date.now() + 600_000).toISOString();
  const old = await generate({ ...wish, expiresAt });
  const { body } = await roll(old.body['uid'], { overlapSeconds: 3_600 });
  expect(body['previousKey']?.['expiresAt']).toBe(expiresAt);
  const lifetime = (key: Record<string, unknown>) =>
    Date.parse(String(key['expiresAt'])) - Date.parse(String(key['createdAt']));
  expect(lifetime(body)).toBe(lifetime(old.body));
});

test('the successor of a key that expires at the end of the year 9999 expires then, too', async () => {
  const expiresAt = '9999-12-31T23:59:59.999Z';
  const old = await generate({ ...wish, expiresAt });
  const { body } = await roll(old.body['uid']);
  expect(body['expiresAt']).toBe(expiresAt);
});

test('a key can be rolled only once, and not when it is revoked or expired', async () => {
  const old = await generate();
  await roll(old.body['uid']);
  expectProblem(await roll(old.body['uid']), 409, 'conflict');
  const revoked = await generate();
  await ada.call('POST', `/apps/${appUid}/keys/${String(revoked.body['uid'])}/revoke`);
  expectProblem(await roll(revoked.body['uid']), 409, 'conflict');
  const expired = await generate();
  const filter = { _id: String(expired.body['uid']) };
  await service.store.apiKeys.updateOne(filter, { $set: { expiresAt: new Date() } });
  expectProblem(await roll(expired.body['uid']), 409, 'conflict');
  const atOnce = await generate();
  const both = await Promise.all([roll(atOnce.body['uid']), roll(atOnce.body['uid'])]);
  expect(both.map((answer) => answer.status).toSorted((a, b) => a - b)).toEqual([201, 409]);
});

test('every process refuses a revoked key immediately', async () => {
  const { config, temporal, sender } = service;
  await using store = await connectStore(config.mongodb);
  const context = await createApiContext({ config, store, sender, temporal, eager: false });
  await using other = await serve(context);
  const otherUrl = `http://127.0.0.1:${other.port}`;
  const made = await generate();
  const { apiKey, uid } = made.body;
  expect([await use(apiKey), await use(apiKey, otherUrl)]).toEqual([200, 200]);
  const revoked = await ada.call('POST', `/apps/${appUid}/keys/${String(uid)}/revoke`);
  expect(revoked.body).toMatchObject({ state: 'revoked', revokedAt: expect.any(String) });
  expect([await use(apiKey), await use(apiKey, otherUrl)]).toEqual([401, 401]);
});

test('tokens of a key are revoked with it only on request, also later, once, and the key is then kept for an hour', async () => {
  const { body: old } = await generate();
  const { body: kept } = await generate();
  const path = `/apps/${appUid}/keys/${String(old['uid'])}`;
  const callsOf = ({ apiKey }: Answer['body']) =>
    createApiClient(service.apiUrl, { ...service.app, appUid, apiKey: String(apiKey) });
  const token = await signIn(callsOf(old), { externalId: 'ada' });
  const other = await signIn(callsOf(kept), { externalId: 'ada' });
  const isActive = async (authToken: string) => (await verify(callsOf(kept), authToken))['active'];
  const first = await ada.call('POST', `${path}/revoke`);
  expect(first.body).toMatchObject({ state: 'revoked', tokensRevokedAt: null });
  expect(await isActive(token)).toBe(true);
  const revokeTokens = { body: { revokeTokens: true } };
  const second = await ada.call('POST', `${path}/revoke`, revokeTokens);
  expect(second.body['revokedAt']).toBe(first.body['revokedAt']);
  expect((await ada.call('POST', `${path}/revoke`, revokeTokens)).body).toEqual(second.body);
  expect([await isActive(token), await isActive(other)]).toEqual([false, true]);
  const made = { appUid, action: 'api_key.revoked' };
  const rows = await service.store.auditLog.find(made).sort({ _id: 1 }).toArray();
  expect(rows.map(({ details }) => details['revokeTokens'])).toEqual([false, true]);
  const [event, ...more] = await service.store.events.find({ appUid }).toArray();
  expect(more).toEqual([]);
  const revokedAt = String(second.body['tokensRevokedAt']);
  expect(JSON.parse(event?.body ?? '')).toMatchObject({
    event: 'application.key_tokens_revoked',
    data: { uid: appUid, apiKeyUid: old['uid'], revokedAt },
  });
  const refused = await ada.call('DELETE', path);
  expectProblem(refused, 409, 'conflict');
  const lifetimeMaxMs = limits.userTokenLifetimeMaxMs;
  const end = new Date(Date.parse(revokedAt) + lifetimeMaxMs).toISOString();
  expect(refused.body['detail']).toContain(end);
  const hourAgo = { $set: { tokensRevokedAt: new Date(Date.now() - lifetimeMaxMs) } };
  await service.store.apiKeys.updateOne({ _id: String(old['uid']) }, hourAgo);
  expect((await ada.call('DELETE', path)).status).toBe(204);
});

test('an application has at most 50 active keys, even with concurrent requests, and can still roll them', async () => {
  const { apiKeysPerAppMax } = limits;
  const input = { appUid, name: 'Bulk', scopes: [], expiresAt: null };
  const occasion = { keyPepper: 'pepper', now: new Date() };
  const bulk = Array.from({ length: apiKeysPerAppMax - 2 }, () => makeApiKey(input, occasion).key);
  await service.store.apiKeys.insertMany(bulk);
  const made = await Promise.all(Array.from({ length: 6 }, () => generate()));
  expect(made.map((answer) => answer.status).toSorted((a, b) => a - b)).toEqual([
    201, 201, 409, 409, 409, 409,
  ]);
  for (const answer of made.filter((each) => each.status === 409)) {
    expectProblem(answer, 409, 'limit_reached');
  }
  const kept = made.find((answer) => answer.status === 201)?.body ?? {};
  expect((await roll(kept['uid'], { overlapSeconds: 0 })).status).toBe(201);
  expectProblem(await generate(), 409, 'limit_reached');
  await ada.call('POST', `/apps/${appUid}/keys/${bulk[0]?._id ?? ''}/revoke`);
  expect((await generate()).status).toBe(201);
});

test('an application keeps at most 1,000 keys: ended ones are deleted, active ones are not', async () => {
  const other = await ada.call('POST', '/apps', { body: { name: 'Of many keys' } });
  const path = `/apps/${String(other.body['uid'])}/keys`;
  const made = await ada.call('POST', path, { body: wish });
  const keyPath = `${path}/${String(made.body['uid'])}`;
  const found = await service.store.apiKeys.findOne({ _id: String(made.body['uid']) });
  if (found === null) throw new Error('the key is not there');
  const revoked = Array.from({ length: limits.apiKeysKeptPerAppMax - 1 }, (_, i) => ({
    ...found,
    _id: `key_many_${i}`,
    keyId: `many${i}`,
    revokedAt: new Date(),
  }));
  await service.store.apiKeys.insertMany(revoked);
  const refused = await ada.call('POST', path, { body: wish });
  expectProblem(refused, 409, 'limit_reached');
  expect(refused.body['detail']).toMatch(/at most 1000 API keys.*; delete/);
  expectProblem(await ada.call('DELETE', keyPath), 409, 'conflict');
  const rolled = await ada.call('POST', `${keyPath}/roll`, { body: { overlapSeconds: 0 } });
  expect(rolled.status).toBe(201);
  expect((await ada.call('DELETE', keyPath)).status).toBe(204);
  expectProblem(await ada.call('GET', keyPath), 404, 'not_found');
  expectProblem(await ada.call('POST', path, { body: wish }), 409, 'limit_reached');
  expect((await ada.call('DELETE', `${path}/key_many_0`)).status).toBe(204);
  expect((await ada.call('POST', path, { body: wish })).status).toBe(201);
});

test('the default overlap is a day', async () => {
  const old = await generate();
  const { body } = await roll(old.body['uid']);
  const expiresAt = Date.parse(String(body['previousKey']?.['expiresAt']));
  expect(expiresAt - Date.parse(String(body['createdAt']))).toBe(86_400_000);
});
