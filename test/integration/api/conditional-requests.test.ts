// Cacheable content is sent once: only `If-None-Match` decides (RFC 9110 §13.1.2), even with Node's fetch, which adds
// `Cache-Control: no-cache` to a request with that header.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startService, type TestService } from '../../support/service.ts';

let service: TestService;

beforeAll(async () => {
  service = await startService({ worker: false });
});

afterAll(() => service[Symbol.asyncDispose]());

const kept = [
  '/.well-known/jwks.json',
  '/.well-known/openid-configuration',
  '/.well-known/webhook-sources.json',
  '/openapi.json',
  '/docs',
  '/docs/scalar.js',
  '/docs/migration',
  '/docs/webhooks.md',
  '/llms.txt',
];

const ask = (path: string, headers: Record<string, string>, method = 'GET') =>
  fetch(service.apiUrl + path, { method, headers });

async function tagOf(path: string): Promise<string> {
  return String((await ask(path, {})).headers.get('etag'));
}

test.each(kept)('%s is confirmed to fetch without content, for GET and HEAD', async (path) => {
  const first = await ask(path, {});
  const etag = String(first.headers.get('etag'));
  expect((await first.arrayBuffer()).byteLength).toBeGreaterThan(0);
  for (const method of ['GET', 'HEAD']) {
    const known = await ask(path, { 'if-none-match': etag }, method);
    expect([known.status, (await known.arrayBuffer()).byteLength]).toEqual([304, 0]);
    expect(known.headers.get('etag')).toBe(etag);
    expect(known.headers.get('cache-control')).toBe(first.headers.get('cache-control'));
    expect(known.headers.get('content-encoding')).toBeNull();
  }
});

test.each<[string, (tag: string) => Record<string, string>]>([
  ['a weak tag, as proxies that compress make it', (tag) => ({ 'if-none-match': `W/${tag}` })],
  ['a list', (tag) => ({ 'if-none-match': `"a", W/"b" ,${tag}` })],
  ['a list with a comma in a tag', (tag) => ({ 'if-none-match': `"a,b",${tag}` })],
  ['a list with empty items', (tag) => ({ 'if-none-match': `, ,${tag},` })],
  ['any', () => ({ 'if-none-match': '*' })],
  ['any, with spaces', () => ({ 'if-none-match': ' * ' })],
  ['a date long ago', (tag) => ({ 'if-none-match': tag, 'if-modified-since': longAgo })],
  ['pragma', (tag) => ({ 'if-none-match': tag, pragma: 'no-cache' })],
])('%s matches what it names', async (_what, headersOf) => {
  const known = await ask('/docs/migration', headersOf(await tagOf('/docs/migration')));
  expect([known.status, await known.text()]).toEqual([304, '']);
});

const longAgo = 'Sat, 01 Jan 2000 00:00:00 GMT';
const farAhead = 'Fri, 01 Jan 2100 00:00:00 GMT';

test.each<[string, (tag: string) => Record<string, string>]>([
  ['another tag', () => ({ 'if-none-match': '"a"' })],
  ['a tag without quotes', (tag) => ({ 'if-none-match': tag.slice(1, -1) })],
  ['the beginning of a tag', (tag) => ({ 'if-none-match': `${tag.slice(0, -2)}"` })],
  ['the end of a tag', (tag) => ({ 'if-none-match': `"${tag.slice(2)}` })],
  ['a star in quotes', () => ({ 'if-none-match': '"*"' })],
  ['a star in a list', () => ({ 'if-none-match': '"a", *' })],
  ['an empty list', () => ({ 'if-none-match': '' })],
  ['a date alone, since nothing has a Last-Modified', () => ({ 'if-modified-since': farAhead })],
])('%s matches nothing', async (_what, headersOf) => {
  const sent = await ask('/docs/migration', headersOf(await tagOf('/docs/migration')));
  expect(sent.status).toBe(200);
  expect(await sent.text()).not.toBe('');
});

test('uncacheable responses are never confirmed', async () => {
  const headers = { 'if-none-match': '*', 'x-api-key': service.app.apiKey };
  for (const path of ['/healthz', '/readyz', `/api/v1/appuid/${service.app.appUid}/agents`]) {
    const sent = await ask(path, headers);
    expect([sent.status, sent.headers.get('etag')]).toEqual([200, null]);
  }
});
