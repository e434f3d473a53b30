// The documents that the service serves, the contract and its pages, and the console; clients that cache them get them
// once.
import { readFile } from 'node:fs/promises';
import { request } from 'node:http';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { servedDocuments, withServedLinks } from '../../../api/documents/served-documents.ts';
import { useService } from '../../support/use-service.ts';
import { expectProblem } from './problems.ts';

const service = useService({ worker: false });

const get = (path: string) => service.raw('GET', path, { headers: {} });

const targetsIn = (markdown: string): string[] =>
  [...markdown.matchAll(/\]\(([^)\s]+)\)/g)].map(([, target = '']) => target);

test('every link of /llms.txt leads to a document, and each served document is in it', async () => {
  const index = await get('/llms.txt');
  expect(index.headers.get('content-type')).toBe('text/plain; charset=utf-8');
  const targets = targetsIn(index.text);
  const names = Object.keys(servedDocuments).map((name) => `docs/${name}`);
  expect(targets).toEqual([...names, 'openapi.json']);
  for (const target of targets)
    expect([target, (await get(`/${target}`)).status]).toEqual([target, 200]);
});

test.each(Object.keys(servedDocuments))(
  'the links inside of %s lead to what is served',
  async (name) => {
    const { text, headers } = await get(`/docs/${name}`);
    expect(headers.get('content-type')).toBe('text/markdown; charset=utf-8');
    expect(text.split('\n')[0]).toBe((await readFile(`docs/${name}`, 'utf8')).split('\n')[0]);
    for (const target of targetsIn(text)) {
      const [file = ''] = target.split('#');
      const isOutside = file === '' || /^https?:/.test(file);
      const status = isOutside ? 200 : (await get(`/docs/${file}`)).status;
      expect([target, status]).toEqual([target, 200]);
    }
  },
);

test.each([
  'deployment.md',
  'nothing.md',
  'constructor',
  '%2e%2e%2fpackage.json',
  '..%2F..%2F.env',
])('the document %s is not served', async (name) => {
  expectProblem(await get(`/docs/${name}`), 404, 'not_found');
});

test.each([
  ['[a](api.md)', '[a](api.md)'],
  ['[a](api.md#keys)', '[a](api.md#keys)'],
  ['[a](#here)', '[a](#here)'],
  ['[a](https://example.com/x.md)', '[a](https://example.com/x.md)'],
  ['[a](deployment.md)', 'a'],
  ['see [ADR 7](adr/0007-x.md), [b](../packages/cli/README.md)', 'see ADR 7, b'],
])('the link %s becomes %s', (written, served) => {
  expect(withServedLinks(written)).toBe(served);
});

// Only `If-None-Match` decides (RFC 9110 §13.1.2), even with Node's fetch, which adds `Cache-Control: no-cache` to a request
// with that header.
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
  ['any', () => ({ 'if-none-match': '*' })],
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
  ['a star in quotes', () => ({ 'if-none-match': '"*"' })],
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

test('the contract is served as it is in the repository', async () => {
  const answer = await get('/openapi.json');
  expect(answer.headers.get('content-type')).toMatch(/^application\/json/);
  expect(answer.text).toBe(await readFile('docs/openapi.json', 'utf8'));
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

test('the retired call responds to any body with a link to the migration page, which the service serves', async () => {
  for (const body of [{}, { email: 'ada@example.com', key: 'legacy' }, 'not json']) {
    const answer = await service.raw('POST', '/api-authenticate-embedded-user', {
      headers: { host: 'legacy.example.com' },
      body,
    });
    expectProblem(answer, 410, 'legacy_auth_retired');
    const [, link = ''] = /^<([^>]+)>/.exec(answer.headers.get('link') ?? '') ?? [];
    const { pathname } = new URL(link);
    const shown = await service.raw('GET', pathname, { headers: {} });
    expect([shown.status, shown.headers.get('content-type')]).toEqual([
      200,
      'text/markdown; charset=utf-8',
    ]);
    expect(shown.text).toBe(await readFile('docs/migration.md', 'utf8'));
  }
});

interface Got {
  status: number;
  headers: Record<string, string>;
  bytes: Buffer;
}

/** Without `fetch`, which would decompress. */
function getRaw(path: string, { encoding = '', method = 'GET', known = '' } = {}): Promise<Got> {
  return new Promise((resolve, reject) => {
    const headers = { 'accept-encoding': encoding, 'if-none-match': known };
    request(new URL(path, service.apiUrl), { method, headers }, (answer) => {
      const chunks: Buffer[] = [];
      answer.on('data', (chunk: Buffer) => chunks.push(chunk));
      answer.on('end', () => {
        const { statusCode = 0, headers: given } = answer;
        const named = Object.entries(given).map(([name, value]) => [name, String(value)]);
        resolve({
          status: statusCode,
          headers: Object.fromEntries(named),
          bytes: Buffer.concat(chunks),
        });
      });
    })
      .on('error', reject)
      .end();
  });
}

async function scriptPath(): Promise<string> {
  const { bytes } = await getRaw('/console');
  const [, path = ''] = /<script [^>]*src="\.\/(assets\/[^"]+\.js)"/.exec(bytes.toString()) ?? [];
  expect(path).not.toBe('');
  return `/console/${path}`;
}

it('the pages of the console are one page at every path, which is not cached and whose policy allows no inline code and no other host', async () => {
  const { status, headers, bytes } = await getRaw('/console/apps/app_1/webhooks');
  expect(status).toBe(200);
  expect(headers['content-type']).toBe('text/html; charset=utf-8');
  expect(headers['cache-control']).toBe('no-store');
  const policy = headers['content-security-policy'] ?? '';
  expect(policy).not.toContain('unsafe');
  expect(policy).not.toMatch(/https?:|\*/);
  expect(policy).toContain("script-src 'self';");
  expect(policy).toContain("default-src 'none'");
  const [, nonce = ''] = /'nonce-([^']+)'/.exec(policy) ?? [];
  expect(bytes.toString()).toContain(`nonce="${nonce}"`);
  expect(bytes.toString()).not.toContain('__');
});

it('the pages of the console have a new nonce each time', async () => {
  const [one, other] = await Promise.all([getRaw('/console'), getRaw('/console')]);
  expect(one.headers['content-security-policy']).not.toBe(other.headers['content-security-policy']);
});

it.each([
  ['/console', 'console/'],
  ['/console/', './'],
  ['/console/apps', './'],
  ['/console/apps/', '../'],
  ['/console/apps/app_1/webhooks', '../../'],
])(
  'the pages of the console refer to their files relatively at %s, so that a proxy can add any path before',
  async (path, base) => {
    const { bytes } = await getRaw(path);
    expect(bytes.toString()).toContain(`<base href="${base}"`);
    const resolved = new URL(base, `https://proxy.example/tools/herald${path}`);
    expect(resolved.href).toBe('https://proxy.example/tools/herald/console/');
  },
);

it('the pages of the console are read-only', async () => {
  expect((await getRaw('/console', { method: 'POST' })).status).toBe(404);
  const head = await getRaw('/console', { method: 'HEAD' });
  expect([head.status, head.bytes.length]).toEqual([200, 0]);
});

it.each([
  ['br', (bytes: Buffer) => brotliDecompressSync(bytes)],
  ['gzip', (bytes: Buffer) => gunzipSync(bytes)],
] as const)(
  'the files of the console come compressed with %s, the same as without',
  async (encoding, decompress) => {
    const path = await scriptPath();
    const [packed, plain] = await Promise.all([getRaw(path, { encoding }), getRaw(path)]);
    expect(packed.headers['content-encoding']).toBe(encoding);
    expect(packed.headers['vary']).toContain('accept-encoding');
    expect(plain.headers['content-encoding']).toBeUndefined();
    expect(decompress(packed.bytes).equals(plain.bytes)).toBe(true);
    expect(packed.bytes.length).toBeLessThan(plain.bytes.length / 2);
  },
);

it('the files of the console are sent with brotli to a browser, which lists it last, and uncompressed to clients that accept neither', async () => {
  const path = await scriptPath();
  const taken = async (encoding: string) =>
    (await getRaw(path, { encoding })).headers['content-encoding'];
  expect(await taken('gzip, deflate, br, zstd')).toBe('br');
  expect(await taken('gzip, deflate')).toBe('gzip');
  expect(await taken('gzip, br;q=0')).toBe('gzip');
  expect(await taken('deflate, zstd')).toBeUndefined();
});

it('the files of the console are cached for a year if their name contains a hash, and otherwise revalidated', async () => {
  const { headers } = await getRaw(await scriptPath());
  expect(headers['cache-control']).toBe('public, max-age=31536000, immutable');
  expect(headers['content-type']).toBe('text/javascript; charset=utf-8');
  expect((await getRaw('/console/icon.svg')).headers['cache-control']).toBe('no-cache');
});

it('the files of the console are sent once per encoding to clients that cache them', async () => {
  for (const path of [await scriptPath(), '/console/icon.svg']) {
    const forms = await Promise.all(
      ['br', 'gzip', ''].map(async (encoding) => {
        const etag = (await getRaw(path, { encoding })).headers['etag'] ?? '';
        return { encoding, etag };
      }),
    );
    expect(new Set(forms.map(({ etag }) => etag)).size).toBe(forms.length);
    for (const { encoding, etag } of forms) {
      const known = await getRaw(path, { encoding, known: etag });
      expect([known.status, known.bytes.length]).toEqual([304, 0]);
      expect(known.headers).toMatchObject({ etag, vary: 'accept-encoding' });
      const other = encoding === 'br' ? 'gzip' : 'br';
      expect((await getRaw(path, { encoding: other, known: etag })).status).toBe(200);
    }
  }
});

it.each(['/console/assets/none.js', '/console/assets/..%2findex.html', '/console/assets/'])(
  'the files of the console %s is not found, and does not return the page',
  async (path) => {
    const { status, headers } = await getRaw(path);
    expect(status).toBe(404);
    expect(headers['content-type']).toBe('application/problem+json');
  },
);
