// The description of a response for tenants.
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { describeResponse } from '../../../lib/egress/describe-response.ts';

interface Response {
  status?: number;
  headers?: Readonly<Record<string, string>>;
  body?: Buffer | string;
  bodyBytes?: number;
  complete?: boolean;
  fault?: unknown;
}

function describe(response: Response, secretTexts: readonly string[] = []) {
  const { status = 500, headers = {}, body = '', complete = true, fault = null } = response;
  const bodyStart = Buffer.from(body).subarray(0, 4_096);
  const bodyBytes = response.bodyBytes ?? Buffer.from(body).length;
  const get = (name: string): string | null => headers[name] ?? null;
  const received = { status, headers: get, bodyStart, bodyBytes, complete, fault };
  return describeResponse(received, secretTexts);
}

const text = 'the signature is wrong: ü';

test.each([
  ['gzip', gzipSync(text)],
  ['x-gzip', gzipSync(text)],
  ['GZIP', gzipSync(text)],
  ['deflate', deflateSync(text)],
  ['br', brotliCompressSync(text)],
  ['identity', Buffer.from(text)],
  ['gzip', Buffer.from(text)],
  ['zstd', Buffer.from(text)],
])('a body with Content-Encoding %s is shown as text', (coding, body) => {
  const shown = describe({ headers: { 'content-encoding': coding }, body });
  expect(shown).toMatchObject({ responseSample: text, detail: null });
});

test('the first 4 KiB of a long compressed body are shown', () => {
  const long = Buffer.from(Array.from({ length: 9_000 }, (_none, n) => `${n} `).join(''));
  const body = gzipSync(long);
  expect(body.length).toBeGreaterThan(4_096);
  const shown = describe({ headers: { 'content-encoding': 'gzip' }, body, complete: false });
  expect(shown.responseSample).toBe(long.toString('utf8', 0, 4_096));
});

const unreadable = Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0xff]);

test.each([
  [
    'a small body that expands beyond 64 KiB',
    'gzip',
    gzipSync(Buffer.alloc(65_537)),
    '(gzip), 95 bytes',
  ],
  ['an unknown coding', 'zstd', unreadable, '(zstd), 5 bytes'],
  ['two codings', 'gzip, br', unreadable, '(gzip, br), 5 bytes'],
  ['a broken body', 'br', unreadable, '(br), 5 bytes'],
  ['an invalid coding name', '<b>', unreadable, ', 5 bytes'],
] as const)('%s is described by its size', (...[, coding, body, end]) => {
  const shown = describe({ headers: { 'content-encoding': coding }, body });
  expect(shown).toMatchObject({ responseSample: '' });
  expect(shown.detail).toMatch(/^the response is compressed/);
  expect(shown.detail?.replace(/\d\d bytes/, '95 bytes')).toContain(end);
});

test('a body that expands to exactly 64 KiB is shown', () => {
  const body = gzipSync(Buffer.alloc(65_536, 'a'));
  const shown = describe({ headers: { 'content-encoding': 'gzip' }, body });
  expect(shown.responseSample).toBe('a'.repeat(4_096));
});

test('the size of a truncated compressed body is a lower bound', () => {
  const headers = { 'content-encoding': 'zstd' };
  const shown = describe({ headers, body: unreadable, bodyBytes: 65_536, complete: false });
  expect(shown.detail).toBe('the response is compressed (zstd), at least 65536 bytes');
});

test.each([
  ['text/plain; charset=iso-8859-1', 'ungültig'],
  ['text/html;charset="ISO-8859-1"', 'ungültig'],
  ['text/plain; charset=unheard-of', 'ung\u{fffd}ltig'],
  ['text/plain', 'ung\u{fffd}ltig'],
])('a body of %s is read in its charset', (type, shown) => {
  const body = Buffer.from('ungültig', 'latin1');
  expect(describe({ headers: { 'content-type': type }, body }).responseSample).toBe(shown);
});

test.each([301, 302, 303, 307, 308])('a redirect with %d shows its Location', (status) => {
  const headers = { location: 'https://www.example.com/hook' };
  const detail = 'redirects are not followed; Location: https://www.example.com/hook';
  expect(describe({ status, headers }).detail).toBe(detail);
});

test.each([200, 201, 299, 400, 503])('Location is not shown with a status of %d', (status) => {
  expect(describe({ status, headers: { location: '/hooks/1' } }).detail).toBeNull();
});

test('a redirect without Location has no detail', () => {
  expect(describe({ status: 304 }).detail).toBeNull();
});

test('a Location is cut at 500 characters, without control characters and secrets', () => {
  const location = `/\u0007?token=secret-of-the-webhook&x=${'x'.repeat(500)}`;
  const { detail } = describe({ status: 302, headers: { location } }, ['secret-of-the-webhook']);
  expect(detail).toMatch(/^redirects are not followed; Location: \/\u{fffd}\?token=…&x=x+…$/u);
  expect(detail?.length).toBeLessThan(540);
});

test('a fault after the status line comes last in the detail', () => {
  const fault = Object.assign(new Error('closed'), { code: 'ECONNRESET' });
  const shown = describe({ status: 301, headers: { location: '/a' }, fault, complete: false });
  expect(shown.detail).toBe(
    'redirects are not followed; Location: /a; the receiver closed the connection before its response was complete',
  );
});

test('a Retry-After of more than 64 characters is ignored', () => {
  expect(describe({ headers: { 'retry-after': '1'.repeat(64) } }).retryAfter).toBe('1'.repeat(64));
  expect(describe({ headers: { 'retry-after': '1'.repeat(65) } }).retryAfter).toBeNull();
});

test('a secret that is cut at the end of a long location is hidden', () => {
  const location = `/${'x'.repeat(490)}secret-of-ours`;
  const { detail } = describe({ status: 302, headers: { location } }, ['secret-of-ours']);
  expect(detail).toMatch(/x……$/);
});

test('the headers that help to find a cause are kept, in a fixed order, and no others', () => {
  const headers = {
    'set-cookie': 'session=1',
    'x-request-id': 'req-1',
    'retry-after': '30',
    server: 'nginx',
    'content-type': '',
  };
  expect(describe({ headers }).responseHeaders).toEqual([
    { name: 'server', value: 'nginx' },
    { name: 'retry-after', value: '30' },
    { name: 'x-request-id', value: 'req-1' },
  ]);
});

test.each([
  ['x'.repeat(160), 'x'.repeat(160)],
  ['x'.repeat(161), `${'x'.repeat(160)}…`],
  ['\u00ff'.repeat(160), '\uFFFD'.repeat(53)],
  [`${'x'.repeat(152)}secret-of-ours`, `${'x'.repeat(152)}……`],
  ['a\u001B[31m', 'a\uFFFD[31m'],
  ['a secret-of-ours b', 'a … b'],
])('a header of a stranger is bounded, without control characters and secrets', (text, value) => {
  const { responseHeaders } = describe({ headers: { server: text } }, ['secret-of-ours']);
  expect(responseHeaders).toEqual([{ name: 'server', value }]);
});
