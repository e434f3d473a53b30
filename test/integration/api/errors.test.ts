// The errors of the API: rejected credentials, unknown paths and data, and the format of every error.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { newApiKey } from '../../../lib/access/api-key.ts';
import { addApp } from '../../support/add-app.ts';
import { startService, type TestService } from '../../support/service.ts';
import { expectProblem, makeKey } from './problems.ts';

let service: TestService;

beforeAll(async () => {
  service = await startService({ worker: false });
});

afterAll(async () => {
  await service?.[Symbol.asyncDispose]();
});

/** Changes one character of a key, so that its checksum no longer matches. */
function mistype(key: string): string {
  const at = key.length - 20;
  return key.slice(0, at) + (key[at] === 'a' ? 'b' : 'a') + key.slice(at + 1);
}

test('absent, unknown, mistyped, revoked and expired keys get the same 401', async () => {
  const longAgo = new Date(Date.now() - 1_000);
  const key = service.app.apiKey;
  const credentials: Record<string, string>[] = [
    {},
    { 'x-api-key': '' },
    { 'x-api-key': 'nonsense' },
    { 'x-api-key': newApiKey().text },
    { 'x-api-key': mistype(key) },
    { 'x-api-key': key.slice(0, -1) },
    { 'x-api-key': await makeKey(service, { revokedAt: longAgo }) },
    { 'x-api-key': await makeKey(service, { expiresAt: longAgo }) },
    { 'x-api-key': await makeKey(service, { secretHash: 'ab'.repeat(32) }) },
    { authorization: `Bearer ${newApiKey().text}` },
    { authorization: 'Bearer' },
    { authorization: key },
    { authorization: `Basic ${Buffer.from(`x:${key}`).toString('base64')}` },
  ];
  const bodies = new Set<string>();
  for (const headers of credentials) {
    const answer = await service.call('GET', '/agents', { headers });
    expectProblem(answer, 401, 'unauthenticated');
    expect(answer.headers.get('www-authenticate')).toMatch(/^Bearer /);
    bodies.add(JSON.stringify({ ...answer.body, requestId: null }));
  }
  expect(bodies.size).toBe(1);
});

test('a key that has not expired and is not revoked is accepted', async () => {
  const key = await makeKey(service, { expiresAt: new Date(Date.now() + 60_000) });
  const answer = await service.call('GET', '/agents', { headers: { 'x-api-key': key } });
  expect(answer.status).toBe(200);
});

test('a request is authenticated before its body is checked', async () => {
  const answer = await service.call('POST', '/agents', { body: '{', headers: {} });
  expectProblem(answer, 401, 'unauthenticated');
});

test.each([
  ['POST', '/sdkusers/auth', 'users:auth'],
  ['POST', '/sdkusers/token/verify', 'users:auth'],
  ['POST', '/sdkusers/usr_x/tokens/revoke', 'users:auth'],
  ['GET', '/sdkusers', 'admin'],
  ['GET', '/sdkusers/x', 'admin'],
  ['PATCH', '/sdkusers/x', 'admin'],
  ['DELETE', '/sdkusers/x', 'admin'],
  ['POST', '/accounts', 'admin'],
  ['GET', '/accounts', 'admin'],
  ['GET', '/accounts/x', 'admin'],
  ['PATCH', '/accounts/x', 'admin'],
  ['DELETE', '/accounts/x', 'admin'],
  ['GET', '/accounts/x/members', 'admin'],
  ['PUT', '/accounts/x/members/y', 'admin'],
  ['DELETE', '/accounts/x/members/y', 'admin'],
  ['POST', '/webhooks', 'webhooks:write'],
  ['GET', '/webhooks', 'webhooks:read'],
  ['GET', '/webhooks/x', 'webhooks:read'],
  ['PATCH', '/webhooks/x', 'webhooks:write'],
  ['DELETE', '/webhooks/x', 'webhooks:write'],
  ['POST', '/agents', 'resources:write'],
  ['GET', '/agents', 'resources:read'],
  ['PATCH', '/contexts/x', 'resources:write'],
  ['DELETE', '/contexts/x/files/y', 'resources:write'],
  ['GET', '/contexts/x/files', 'resources:read'],
  ['POST', '/changes', 'resources:write'],
  ['GET', '/events', 'events:read'],
  ['GET', '/events/x/deliveries', 'events:read'],
] as const)(
  '%s %s without the scope %s gets 403, and with that scope alone does not',
  async (method, path, scope) => {
    const others = [
      'users:auth',
      'webhooks:read',
      'webhooks:write',
      'events:read',
      'events:write',
      'resources:read',
      'resources:write',
      'admin',
    ] as const;
    const without = await makeKey(service, { scopes: others.filter((one) => one !== scope) });
    const refused = await service.call(method, path, { headers: { 'x-api-key': without } });
    expectProblem(refused, 403, 'insufficient_scope');
    const only = await makeKey(service, { scopes: [scope] });
    const taken = await service.call(method, path, { headers: { 'x-api-key': only } });
    expect([200, 400, 404, 415]).toContain(taken.status);
  },
);

test('a key of another application gets the same 404 as for an unknown application, never 403', async () => {
  const other = await addApp(service);
  const headers = { 'x-api-key': other.apiKey };
  const foreign = await service.call('GET', '/agents', { headers });
  const absent = await service.raw('GET', '/api/v1/appuid/app_none/agents', { headers });
  expectProblem(foreign, 404, 'not_found');
  expect({ ...foreign.body, requestId: null }).toEqual({ ...absent.body, requestId: null });
  const noScope = await makeKey(service, { scopes: [] });
  const foreignPath = `/api/v1/appuid/${other.appUid}/agents`;
  expectProblem(
    await service.raw('GET', foreignPath, { headers: { 'x-api-key': noScope } }),
    404,
    'not_found',
  );
});

test("another application's data is not found by uid", async () => {
  const agent = await service.call('POST', '/agents', {
    body: { agentName: 'A', externalTenantId: 't' },
  });
  const webhook = await service.call('POST', '/webhooks', {
    body: { url: 'http://127.0.0.1:9/', entities: ['agent'] },
  });
  const context = await service.call('POST', '/contexts', {
    body: { contextName: 'C', externalTenantId: 't' },
  });
  const [event] = await service.store.events.find({ appUid: service.app.appUid }).toArray();
  const other = await addApp(service);
  const headers = { 'x-api-key': other.apiKey };
  const file = { fileName: 'f', contentType: 'a/b', sizeBytes: 1 };
  const calls: [string, string, unknown][] = [
    ['GET', `/agents/${String(agent.body['uid'])}`, undefined],
    ['PATCH', `/agents/${String(agent.body['uid'])}`, { live: true }],
    ['DELETE', `/agents/${String(agent.body['uid'])}`, undefined],
    ['GET', `/webhooks/${String(webhook.body['uid'])}`, undefined],
    ['PATCH', `/webhooks/${String(webhook.body['uid'])}`, { active: false }],
    ['DELETE', `/webhooks/${String(webhook.body['uid'])}`, undefined],
    ['GET', `/contexts/${String(context.body['uid'])}/files`, undefined],
    ['POST', `/contexts/${String(context.body['uid'])}/files`, file],
    ['GET', `/events/${event?._id ?? ''}`, undefined],
    ['GET', `/events/${event?._id ?? ''}/deliveries`, undefined],
  ];
  for (const [method, path, body] of calls) {
    const answer = await service.raw(method, `/api/v1/appuid/${other.appUid}${path}`, {
      headers,
      body,
    });
    expectProblem(answer, 404, 'not_found');
  }
  expect((await service.call('GET', `/agents/${String(agent.body['uid'])}`)).body).toEqual(
    agent.body,
  );
});

test.each(['/', '/api', '/api/v1/appuid', '/api/v2/appuid/x/agents', '/nothing', '/healthz/x'])(
  'the unknown path %s gets 404',
  async (path) => {
    expectProblem(await service.raw('GET', path), 404, 'not_found');
  },
);

test.each([
  ['PUT', '/agents', ['GET', 'HEAD', 'POST']],
  ['POST', '/agents/agt_x', ['DELETE', 'GET', 'HEAD', 'PATCH']],
  ['DELETE', '/changes', ['POST']],
  ['GET', '/sdkusers/token/verify', ['POST']],
  // This path must not match the user "auth".
  ['GET', '/sdkusers/auth', ['POST']],

  ['PUT', '/sdkusers/auth', ['POST']],
  ['DELETE', '/sdkusers/auth', ['POST']],
  ['POST', '/accounts/x/members/y', ['DELETE', 'PUT']],
  ['PATCH', '/events', ['GET', 'HEAD']],
])('%s on %s gets 405 with the allowed methods', async (method, path, allowed) => {
  const answer = await service.call(method, path);
  expectProblem(answer, 405, 'method_not_allowed');
  expect(answer.headers.get('allow')?.split(', ').sort()).toEqual(allowed);
});

test('OPTIONS on a path that ends in a word lists only the methods of that path', async () => {
  const answer = await service.call('OPTIONS', '/sdkusers/auth');
  expect(answer.status).toBe(200);
  expect(answer.headers.get('allow')).toBe('POST');
});

test('both credentials get 400, even when they are the same key', async () => {
  const { apiKey } = service.app;
  const headers = { 'x-api-key': apiKey, authorization: `Bearer ${apiKey}` };
  expectProblem(await service.call('GET', '/agents', { headers }), 400, 'credentials_conflict');
});

test('the key is accepted in either header on every endpoint, with the scheme in any case', async () => {
  for (const authorization of [`Bearer ${service.app.apiKey}`, `bearer ${service.app.apiKey}`]) {
    expect((await service.call('GET', '/webhooks', { headers: { authorization } })).status).toBe(
      200,
    );
  }
  expect((await service.call('GET', '/webhooks')).status).toBe(200);
});

test('the retired path responds to any request with 410 and a link to the migration page', async () => {
  for (const options of [{}, { body: { a: 1 } }, { body: '{' }, { headers: {} }]) {
    const answer = await service.raw('POST', '/api-authenticate-embedded-user', options);
    expectProblem(answer, 410, 'legacy_auth_retired');
    expect(answer.headers.get('link')).toMatch(
      /^<http:\/\/herald\.example\/.+>; rel="deprecation"/,
    );
  }
});

test('the page that the retired path links to is served without a key', async () => {
  const refusal = await service.raw('POST', '/api-authenticate-embedded-user');
  const link = /^<(?<url>[^>]+)>/.exec(refusal.headers.get('link') ?? '')?.groups?.['url'] ?? '';
  const answer = await service.raw('GET', new URL(link).pathname, { headers: {} });
  expect(answer.status).toBe(200);
  expect(answer.headers.get('content-type')).toBe('text/markdown; charset=utf-8');
  expect(answer.text).toContain('/sdkusers/auth');
});

test.each([
  ['abcdefgh', true],
  ['a'.repeat(64), true],
  ['A-b_c-1234', true],
  ['abcdefg', false],
  ['a'.repeat(65), false],
  ['has space in it', false],
  ['new.line;drop', false],
])('the request ID %j is echoed: %p', async (given, echoed) => {
  const answer = await service.raw('GET', '/nothing', { headers: { 'x-request-id': given } });
  expectProblem(answer, 404, 'not_found');
  expect(answer.body['requestId'] === (given as unknown)).toBe(echoed);
  const fine = await service.call('GET', '/agents', {
    headers: { 'x-api-key': service.app.apiKey, 'x-request-id': given },
  });
  expect(fine.headers.get('x-request-id') === given).toBe(echoed);
});

test('the headers of every response forbid caching, sniffing, framing and scripts', async () => {
  for (const path of ['/agents', '/agents/none', '/nothing']) {
    const { headers } = await service.call('GET', path);
    expect(headers.get('cache-control')).toBe('no-store');
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(headers.get('content-security-policy')).toBe(
      "default-src 'none'; frame-ancestors 'none'",
    );
    expect(headers.get('referrer-policy')).toBe('no-referrer');
    expect(headers.get('strict-transport-security')).toBeNull();
  }
});
