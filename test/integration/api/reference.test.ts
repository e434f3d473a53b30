// The contract as the service serves it, and its pages.
import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startService, type TestService } from '../../support/service.ts';

let service: TestService;

beforeAll(async () => {
  service = await startService({ worker: false });
});

afterAll(() => service[Symbol.asyncDispose]());

const get = (path: string, headers: Record<string, string> = {}) =>
  service.raw('GET', path, { headers });

test('the contract is served as it is in the repository, and only once to clients that cache it', async () => {
  const answer = await get('/openapi.json');
  expect(answer.headers.get('content-type')).toMatch(/^application\/json/);
  expect(answer.text).toBe(await readFile('docs/openapi.json', 'utf8'));
  const headers = { 'if-none-match': answer.headers.get('etag') ?? '' };
  expect(await get('/openapi.json', headers)).toMatchObject({ status: 304, text: '' });
});

test('the pages load the contract and their code only from this service', async () => {
  const { text, headers } = await get('/docs');
  const policy = headers.get('content-security-policy') ?? '';
  expect(policy).toContain("default-src 'none'");
  expect(policy).toMatch(/script-src 'self' 'sha256-[\w+/]{43}=';/);
  expect(policy).toMatch(/; sandbox allow-scripts allow-forms allow-downloads$/);
  expect(policy).toContain("connect-src 'self'");
  expect(policy).not.toContain('http');
  const loaded = [...text.matchAll(/(?:src|href|data-url)="([^"]+)"/g)].map(([, url]) => url);
  expect(new Set(loaded)).toEqual(new Set(['/docs/scalar.js', '/openapi.json', '/console']));
  const script = await get('/docs/scalar.js');
  expect(script.headers.get('content-encoding')).toBe('gzip');
  expect(script.text).toContain('@scalar/api-reference');
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
  const refused = await get(calls, { origin: 'null' });
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
  }
});
