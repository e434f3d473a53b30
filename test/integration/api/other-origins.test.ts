// Pages of any origin can read what needs no credential, and nothing else (CORS); and calls through a proxy.
import { createLocalJWKSet, type JSONWebKeySet, jwtVerify } from 'jose';
import { allowInsecureRequests, customFetch, discovery } from 'openid-client';
import { routes } from '../../../api/routes.ts';
import { makeTestAdmin } from '../../support/admin-client.ts';
import { startPrefixProxy } from '../../support/prefix-proxy.ts';
import { startService } from '../../support/service.ts';
import { useService } from '../../support/use-service.ts';

const service = useService({ worker: false });

const origin = 'https://page.example';
const open = routes
  .filter(({ access }) => access.kind === 'open')
  .map(
    ({ method, path }) =>
      [
        method.toUpperCase(),
        path.replace(':documentName', 'webhooks.md').replace(':appUid', 'app_1'),
      ] as const,
  );
const ofAdmins = open.filter(([, path]) => path.startsWith('/admin/'));
const forAll = open.filter(([, path]) => !path.startsWith('/admin/'));

test.each(forAll)(
  'a page can read the response to %s %s, with its headers',
  async (method, path) => {
    const { headers } = await service.raw(method, path, { headers: { origin } });
    expect(headers.get('access-control-allow-origin')).toBe('*');
    expect(headers.get('access-control-expose-headers')).toBe('*');
    expect(headers.get('access-control-allow-credentials')).toBeNull();
    expect(headers.get('cross-origin-resource-policy')).toBe('cross-origin');
    expect(headers.get('vary')).toBeNull();
  },
);

test.each(forAll)('a page can send a preflight for %s %s', async (method, path) => {
  const asked = { 'access-control-request-method': method, 'access-control-request-headers': 'a' };
  const answer = await service.raw('OPTIONS', path, { headers: { origin, ...asked } });
  expect([answer.status, answer.text]).toEqual([204, '']);
  expect(answer.headers.get('access-control-allow-origin')).toBe('*');
  expect(answer.headers.get('access-control-allow-methods')).toBe('*');
  expect(answer.headers.get('access-control-allow-headers')).toBe('*, authorization');
});

test('cacheable responses are the same for a page and for a server', async () => {
  for (const path of ['/.well-known/jwks.json', '/openapi.json']) {
    const { headers } = await service.raw('GET', path, { headers: {} });
    expect(headers.get('access-control-allow-origin')).toBe('*');
  }
});

test('a page can also read an error from an open path', async () => {
  const refused = await service.raw('DELETE', '/healthz', { headers: { origin } });
  expect([refused.status, refused.headers.get('access-control-allow-origin')]).toEqual([405, '*']);
  const asked = await service.raw('OPTIONS', '/healthz', { headers: { origin } });
  expect([asked.status, asked.headers.get('allow')]).toEqual([200, 'HEAD, GET']);
});

const keyed = '/api/v1/appuid/app_1/agents';

test.each([
  ...ofAdmins.map(([, path]) => path),
  '/admin/api/session',
  '/console',
  '/console/icon.svg',
  '/docs/other/more',
  '/healthz/x',
  '/',
  keyed,
])('no page of another origin can read %s', async (path) => {
  for (const method of ['GET', 'OPTIONS']) {
    const asked = method === 'GET' ? {} : { 'access-control-request-method': 'GET' };
    const { headers } = await service.raw(method, path, { headers: { origin, ...asked } });
    const names = [...headers.keys()];
    expect(names.filter((name) => name.startsWith('access-control'))).toEqual([]);
    expect(headers.get('cross-origin-resource-policy')).toBe('same-origin');
  }
});

test('an OpenID client that knows the issuer finds the keys, which verify a token', async () => {
  const issuer = service.config.http.publicUrl;
  // The public address is that of a proxy, which tests do not have.
  const fetchThere = (url: string) => fetch(url.replace(issuer, service.apiUrl));
  const found = await discovery(new URL(issuer), 'authorizer', undefined, undefined, {
    execute: [allowInsecureRequests],
    [customFetch]: fetchThere,
  });
  const metadata = found.serverMetadata();
  expect(metadata).toMatchObject({ issuer, jwks_uri: `${issuer}/.well-known/jwks.json` });
  const { body } = await service.call('POST', '/sdkusers/auth', { body: { externalId: 'u' } });
  const keys = (await (await fetchThere(String(metadata.jwks_uri))).json()) as JSONWebKeySet;
  const algorithms = metadata.id_token_signing_alg_values_supported ?? [];
  const checks = { issuer: metadata.issuer, audience: 'embedded-sdk', algorithms };
  const { payload } = await jwtVerify(String(body['authToken']), createLocalJWKSet(keys), checks);
  expect(payload.sub).toBe(body['userUid']);
});

test('the OpenID configuration claims nothing that the service does not do', async () => {
  const { body } = await service.raw('GET', '/.well-known/openid-configuration', { headers: {} });
  expect(Object.keys(body)).toEqual([
    'issuer',
    'jwks_uri',
    'id_token_signing_alg_values_supported',
    'subject_types_supported',
  ]);
});

const preflight = { origin: 'null', 'access-control-request-method': 'POST' };
const allowedOrigin = async (path: string, headers: Record<string, string>) =>
  (await service.raw('OPTIONS', path, { headers })).headers.get('access-control-allow-origin');

test('the sandboxed pages, whose origin is null, can call with a key, but not use the admin area', async () => {
  const calls = `/api/v1/appuid/${service.app.appUid}/webhooks`;
  const answer = await service.raw('OPTIONS', calls, { headers: preflight });
  expect(answer.status).toBe(204);
  expect(answer.headers.get('access-control-allow-headers')).toBe('*, authorization');
  expect(answer.headers.get('access-control-allow-credentials')).toBeNull();
  const refused = await service.raw('GET', calls, { headers: { origin: 'null' } });
  expect([refused.status, refused.headers.get('access-control-allow-origin')]).toEqual([
    401,
    'null',
  ]);
  expect(answer.headers.get('vary')).toBe('origin');
  for (const path of ['/admin/api/session', '/console', '/apis', '//api/v1']) {
    expect(await allowedOrigin(path, preflight)).toBeNull();
  }
});

test('no other origin can read the response to a call with a key', async () => {
  const calls = `/api/v1/appuid/${service.app.appUid}/webhooks`;
  for (const origin of ['http://evil.example', service.apiUrl, 'null, null']) {
    expect(await allowedOrigin(calls, { ...preflight, origin })).toBeNull();
    const { headers } = await service.raw('GET', calls, { headers: { origin } });
    expect(headers.get('vary')).toBe('origin');
  }
});

// A proxy that serves the api below a path and removes the path.
test('for API keys and for admins, Location leads through the proxy to the created resource', async () => {
  const env = { HERALD_PUBLIC_URL: 'http://localhost/tools/herald/' };
  await using below = await startService({ worker: false, env });
  await using proxy = await startPrefixProxy('/tools/herald', below.apiUrl);
  const ada = await makeTestAdmin(below);
  const asKey = { 'x-api-key': below.app.apiKey };
  for (const [headers, made] of [
    [asKey, await below.call('POST', '/accounts', { body: { name: 'A' } })],
    [ada.headers, await ada.call('POST', '/apps', { body: { name: 'A' } })],
  ] as const) {
    expect(made.status).toBe(201);
    const location = made.headers.get('location') ?? '';
    const found = await fetch(new URL(location, proxy.url), { headers });
    expect([found.status, await found.json()]).toMatchObject([200, { uid: made.body['uid'] }]);
  }
});
