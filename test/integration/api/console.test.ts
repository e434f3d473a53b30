import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { request } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startService, type TestService } from '../../support/service.ts';

let service: TestService;
beforeAll(async () => {
  service = await startService({ worker: false });
});
afterAll(async () => service[Symbol.asyncDispose]());

interface Got {
  status: number;
  headers: Record<string, string>;
  bytes: Buffer;
}

/** Without `fetch`, which would decompress. */
function get(path: string, { encoding = '', method = 'GET', known = '' } = {}): Promise<Got> {
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
  const { bytes } = await get('/console');
  const [, path = ''] = /<script [^>]*src="\.\/(assets\/[^"]+\.js)"/.exec(bytes.toString()) ?? [];
  expect(path).not.toBe('');
  return `/console/${path}`;
}

describe('the pages of the console', () => {
  it('are one page at every path, which is not cached and whose policy allows no inline code and no other host', async () => {
    const { status, headers, bytes } = await get('/console/apps/app_1/webhooks');
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

  it('have a new nonce each time', async () => {
    const [one, other] = await Promise.all([get('/console'), get('/console')]);
    expect(one.headers['content-security-policy']).not.toBe(
      other.headers['content-security-policy'],
    );
  });

  it.each([
    ['/console', 'console/'],
    ['/console/', './'],
    ['/console/apps', './'],
    ['/console/apps/', '../'],
    ['/console/apps/app_1/webhooks', '../../'],
  ])(
    'refer to their files relatively at %s, so that a proxy can add any path before',
    async (path, base) => {
      const { bytes } = await get(path);
      expect(bytes.toString()).toContain(`<base href="${base}"`);
      const resolved = new URL(base, `https://proxy.example/tools/herald${path}`);
      expect(resolved.href).toBe('https://proxy.example/tools/herald/console/');
    },
  );

  it('are read-only', async () => {
    expect((await get('/console', { method: 'POST' })).status).toBe(404);
    const head = await get('/console', { method: 'HEAD' });
    expect([head.status, head.bytes.length]).toEqual([200, 0]);
  });
});

describe('the files of the console', () => {
  it.each([
    ['br', (bytes: Buffer) => brotliDecompressSync(bytes)],
    ['gzip', (bytes: Buffer) => gunzipSync(bytes)],
  ] as const)('come compressed with %s, the same as without', async (encoding, decompress) => {
    const path = await scriptPath();
    const [packed, plain] = await Promise.all([get(path, { encoding }), get(path)]);
    expect(packed.headers['content-encoding']).toBe(encoding);
    expect(packed.headers['vary']).toContain('accept-encoding');
    expect(plain.headers['content-encoding']).toBeUndefined();
    expect(decompress(packed.bytes).equals(plain.bytes)).toBe(true);
    expect(packed.bytes.length).toBeLessThan(plain.bytes.length / 2);
  });

  it('are sent with brotli to a browser, which lists it last, and uncompressed to clients that accept neither', async () => {
    const path = await scriptPath();
    const taken = async (encoding: string) =>
      (await get(path, { encoding })).headers['content-encoding'];
    expect(await taken('gzip, deflate, br, zstd')).toBe('br');
    expect(await taken('gzip, deflate')).toBe('gzip');
    expect(await taken('gzip, br;q=0')).toBe('gzip');
    expect(await taken('deflate, zstd')).toBeUndefined();
  });

  it('are cached for a year if their name contains a hash, and otherwise revalidated', async () => {
    const { headers } = await get(await scriptPath());
    expect(headers['cache-control']).toBe('public, max-age=31536000, immutable');
    expect(headers['content-type']).toBe('text/javascript; charset=utf-8');
    expect((await get('/console/icon.svg')).headers['cache-control']).toBe('no-cache');
  });

  it('are sent once per encoding to clients that cache them', async () => {
    for (const path of [await scriptPath(), '/console/icon.svg']) {
      const forms = await Promise.all(
        ['br', 'gzip', ''].map(async (encoding) => {
          const etag = (await get(path, { encoding })).headers['etag'] ?? '';
          return { encoding, etag };
        }),
      );
      expect(new Set(forms.map(({ etag }) => etag)).size).toBe(forms.length);
      for (const { encoding, etag } of forms) {
        const known = await get(path, { encoding, known: etag });
        expect([known.status, known.bytes.length]).toEqual([304, 0]);
        expect(known.headers).toMatchObject({ etag, vary: 'accept-encoding' });
        const other = encoding === 'br' ? 'gzip' : 'br';
        expect((await get(path, { encoding: other, known: etag })).status).toBe(200);
      }
    }
  });

  it.each(['/console/assets/none.js', '/console/assets/..%2findex.html', '/console/assets/'])(
    '%s is not found, and does not return the page',
    async (path) => {
      const { status, headers } = await get(path);
      expect(status).toBe(404);
      expect(headers['content-type']).toBe('application/problem+json');
    },
  );
});
