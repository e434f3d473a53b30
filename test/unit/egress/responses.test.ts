// A response as it is read and shown: interim responses, a start that the parser rejects, sample, headers, detail.
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { describeResponse } from '../../../lib/egress/describe-response.ts';
import * as fc from 'fast-check';
import { hideTexts, sampleText } from '../../../lib/egress/response-sample.ts';
import { egressLimits } from '../../../lib/limits.ts';
import { ResponseStart } from '../../../lib/egress/response-start.ts';
import { createInterimSkipper } from '../../../lib/egress/interim-responses.ts';

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
  ['deflate', deflateSync(text)],
  ['br', brotliCompressSync(text)],
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
  ['text/plain; charset=unheard-of', 'ung\u{fffd}ltig'],
  ['text/plain', 'ung\u{fffd}ltig'],
])('a body of %s is read in its charset', (type, shown) => {
  const body = Buffer.from('ungültig', 'latin1');
  expect(describe({ headers: { 'content-type': type }, body }).responseSample).toBe(shown);
});

test.each([301, 308])('a redirect with %d shows its Location', (status) => {
  const headers = { location: 'https://www.example.com/hook' };
  const detail = 'redirects are not followed; Location: https://www.example.com/hook';
  expect(describe({ status, headers }).detail).toBe(detail);
});

test.each([200, 400])('Location is not shown with a status of %d', (status) => {
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

const { responseSampleBytesMax } = egressLimits;

test('a long response is cut between characters', () => {
  const text = sampleText(Buffer.from(`a${'é'.repeat(3_000)}`), true);
  expect(text).toBe(`a${'é'.repeat(2_047)}`);
});

test('a character cut by our limit is removed, one cut by the receiver is replaced', () => {
  const half = Buffer.from('aé').subarray(0, 2);
  expect(sampleText(half, false)).toBe('a');
  expect(sampleText(half, true)).toBe('a\uFFFD');
});

test('control characters and bytes that are not text become replacement characters', () => {
  expect(sampleText(Buffer.from([0x61, 0, 0xff, 0x62]), true)).toBe('a\uFFFD\uFFFDb');
  expect(sampleText(Buffer.from('\u0001\u0008\u000b\u001b\u007f\u0085'), true)).toBe(
    '\uFFFD'.repeat(6),
  );
  expect(sampleText(Buffer.from('a\tb\r\nc \u00a0'), true)).toBe('a\tb\r\nc \u00a0');
});

test('a sample is at most twice as long in JSON', () => {
  for (let code = 0; code < 256; code += 1) {
    const text = sampleText(Buffer.alloc(responseSampleBytesMax, code), true);
    expect(Buffer.byteLength(JSON.stringify(text))).toBeLessThanOrEqual(
      2 * responseSampleBytesMax + 2,
    );
  }
});

test('a sample of any bytes has at most 4 KiB of UTF-8 and no control character', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 6_000 }), fc.boolean(), (bytes, whole) => {
      const text = sampleText(Buffer.from(bytes), whole);
      return Buffer.byteLength(text) <= responseSampleBytesMax && !/[^\P{Cc}\t\n\r]/u.test(text);
    }),
  );
  expect(Buffer.byteLength(sampleText(Buffer.alloc(5_000, 0xff), true))).toBeLessThanOrEqual(4_096);
});

test.each([
  ['got 12345678, 12345678', ['12345678'], 'got …, …'],
  ['got 1234567', ['1234567'], 'got 1234567'],
  ['the longer one first: secret-1234', ['secret-1', 'secret-1234'], 'the longer one first: …'],
  ['{"a":"se\\"cr/et\\\\t"}', ['se"cr/et\\t'], '{"a":"…"}'],
  ['{"a":"se\\"cr\\/et"}', ['se"cr/et'], '{"a":"…"}'],
  ['$& secret-1', ['secret-1'], '$& …'],
  ['cut: secret-1', ['secret-1234'], 'cut: …'],
  ['cut early: secret-', ['secret-1234'], 'cut early: secret-'],
  ['not at the end: secret-1.', ['secret-1234'], 'not at the end: secret-1.'],
  ['', ['secret-1'], ''],
])('%j without %j becomes %j', (sample, texts, kept) => {
  expect(hideTexts(sample, texts)).toBe(kept);
});

/** Reads a response that arrives in pieces of any size. */
function read(text: string, pieceBytes = 7) {
  const start = new ResponseStart();
  for (let at = 0; at < text.length; at += pieceBytes) {
    start.add(Buffer.from(text.slice(at, at + pieceBytes), 'latin1'));
  }
  const { headers, body } = start.read();
  return { status: start.status(), headers, body: body.toString('latin1') };
}

test.each([
  ['HTTP/1.1 200 OK\r\n', 200],
  ['HTTP/1.1 200\n', 200],
  ['\r\n\nHTTP/1.1 200 OK\r\n', 200],
  [`HTTP/1.1 200 ${'r'.repeat(100_000)}\n`, 200],
  ['HTTP/1.1 999 X\r\n', 999],
  ['HTTP/1.1 200 OK', null],
  ['HTTP/1.1 200 OK\r', null],
  ['HTTP/1.1 2000 OK\r\n', null],
  ['HTTP/1.1 199 X\r\n', null],
  ['HTTP/1.1200 OK\r\n', null],
  ['http/1.1 200 OK\r\n', null],
  ['SIP/2.0 200 OK\r\n', null],
  ['', null],
])('%j has the status %s', (text, status) => {
  expect(read(text).status).toBe(status);
});

test('headers are read in spite of folded lines, blanks, repeats and lines without CR', () => {
  const { headers, body } = read(
    'HTTP/1.1 500 X\nRetry-After : 5\r\nX: a\r\n\tb\nretry-after: 6\n__proto__: x\nnone\n\nwhy\n\nmore',
  );
  expect(headers('retry-after')).toBe('5');
  expect(headers('x')).toBe('a b');
  expect(headers('location')).toBeNull();
  expect(body).toBe('why\n\nmore');
});

test.each([
  ['2\r\nok\r\n3\r\nyes\r\n0\r\n\r\n', 'okyes'],
  ['2  \r\nok\r\n0\r\n\r\n', 'ok'],
  ['2\r\nokay\r\n0\r\n\r\n', 'ok'],
  ['no chunks', 'no chunks'],
  ['0\r\n\r\n', ''],
])('the chunks %j contain %j', (chunks, body) => {
  expect(read(`HTTP/1.1 500 X\r\nTransfer-Encoding: chunked\r\n\r\n${chunks}`).body).toBe(body);
});

test('no more than the headers and the sample of the body are kept', () => {
  const { body } = read(`HTTP/1.1 500 X\n\n${'x'.repeat(100_000)}`, 1_000);
  expect(body).toBe('x'.repeat(4_096));
});

/** Returns the bytes that are left for the parser. */
function leftOf(pieces: readonly string[]): string {
  let readable: Buffer | null = null;
  const read = (): Buffer | null => {
    const bytes = readable;
    readable = null;
    return bytes;
  };
  const unshift = (bytes: Buffer): void => void (readable = bytes);
  const skipInterim = createInterimSkipper(
    { read, unshift },
    { onInterim: () => undefined, onFinal: () => undefined },
  );
  return pieces
    .map((piece) => {
      readable = Buffer.from(piece, 'latin1');
      skipInterim();
      return read()?.toString('latin1') ?? '';
    })
    .join('');
}

const finalResponse = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok';
const ofLines = fc
  .array(fc.constantFrom('\r', '\n', '\r\n', 'X: a', ' ', 'HTTP/1.1 100 '), { maxLength: 8 })
  .map((parts) => parts.join(''))
  .filter((text) => !/\n\r?\n/.test(text) && !text.startsWith('\n') && !text.startsWith('\r'));
const interimHead = fc
  .tuple(
    fc.constantFrom('HTTP/1.1 100', 'HTTP/1.0 103', 'HTTP/1.1 101'),
    fc.constantFrom(' ', '\r\n', '\n'),
    ofLines,
    fc.constantFrom('\n\n', '\r\n\r\n', '\r\n\n', '\n\r\n'),
  )
  .map(([start, end, lines, emptyLine]) => `${start}${end}X${lines}X${emptyLine}`);

test('only interim responses are removed, for any split into pieces', () => {
  const property = fc.property(
    fc.array(interimHead, { maxLength: 4 }),
    fc.infiniteStream(fc.integer({ min: 1, max: 20 })),
    (heads, lengths) => {
      const text = heads.join('') + finalResponse;
      const pieces: string[] = [];
      for (let start = 0; start < text.length;) {
        const end = start + lengths.next().value;
        pieces.push(text.slice(start, end));
        start = end;
      }
      expect(leftOf(pieces)).toBe(finalResponse);
    },
  );
  fc.assert(property, { numRuns: 2_000 });
});

test('an interim response that arrives byte by byte is scanned only once', () => {
  const drips = Array.from({ length: 512 * 1024 }, () => 'x');
  const before = process.cpuUsage();
  expect(leftOf(['HTTP/1.1 103 Hints\r\nX: ', ...drips, '\r\n\r\n', finalResponse])).toBe(
    finalResponse,
  );
  // Usually half a second; with a scan of everything each time, minutes.
  expect(process.cpuUsage(before).user).toBeLessThan(15_000_000);
});
