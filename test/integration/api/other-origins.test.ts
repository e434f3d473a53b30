// Pages of any origin can read what needs no credential, and nothing else (CORS).
import { createLocalJWKSet, type JSONWebKeySet, jwtVerify } from 'jose';
import { allowInsecureRequests, customFetch, discovery } from 'openid-client';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { routes } from '../../../api/routes.ts';
import { startService, type TestService } from '../../support/service.ts';

let service: TestService;

beforeAll(async () => {
  service = await startService({ worker: false });
});

afterAll(() => service[Symbol.asyncDispose]());

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

test('the keys, the probes, the documents and the retired flow are open to all', () => {
  expect(forAll.map(([, path]) => path).toSorted()).toEqual([
    '/.well-known/jwks.json',
    '/.well-known/openid-configuration',
    '/.well-known/webhook-sources.json',
    '/api-authenticate-embedded-user',
    '/api/v1/appuid/app_1/.well-known/webhook-keys.json',
    '/docs',
    '/docs/migration',
    '/docs/scalar.js',
    '/docs/webhooks.md',
    '/healthz',
    '/llms.txt',
    '/openapi.json',
    '/readyz',
  ]);
});

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

test('responses to calls with a key say that they vary by origin', async () => {
  for (const headers of [{}, { origin }, { origin: 'null' }]) {
    expect((await service.raw('GET', keyed, { headers })).headers.get('vary')).toBe('origin');
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
