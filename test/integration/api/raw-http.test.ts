// HTTP that no well-behaved client sends: every error is a problem with a request ID.
import { once } from 'node:events';
import { connect } from 'node:net';
import { useService } from '../../support/use-service.ts';
import { expectProblem, faultsOf } from './problems.ts';
import { exchangeRaw } from './raw-socket.ts';

const service = useService({ worker: false });

/** Returns a request to the agents of the application with these additional headers, which closes the connection. */
function request(method: string, headers: string[], body = ''): string {
  const path = `/api/v1/appuid/${service.app.appUid}/agents`;
  const key = `x-api-key: ${service.app.apiKey}`;
  const lines = [`${method} ${path} HTTP/1.1`, 'host: x', 'connection: close', key, ...headers];
  return `${lines.join('\r\n')}\r\n\r\n${body}`;
}

const agent = '{"agentName":"Raw","externalTenantId":"t"}';
const json = 'content-type: application/json';
const chunked = 'transfer-encoding: chunked';

/** A POST to the path /x with these header lines, followed by the bytes. */
const post = (headers: string[], rest: string, version = '1.1'): string =>
  [`POST /x HTTP/${version}`, 'host: x', 'connection: close', ...headers, '', rest].join('\r\n');
const oneChunk = '2\r\n{}\r\n0\r\n\r\n';

/** A name for each, and its bytes as Latin-1. */
const malformedMessages: readonly [what: string, bytes: string][] = [
  ['text that is no HTTP', 'hello\r\n\r\n'],
  ['a TLS handshake', '\u0016\u0003\u0001\u0002\u0000\u0001\u0000\u0001\u00fc\u0003\u0003'],
  ['a header without a colon', 'GET /healthz HTTP/1.1\r\nhost: x\r\nnonsense\r\n\r\n'],
  ['a bare line feed', 'GET /healthz HTTP/1.1\nhost: x\n\n'],
  ['a control character in a header', 'GET /healthz HTTP/1.1\r\nhost: x\r\na: b\u0000c\r\n\r\n'],
  [
    'both a length and chunks',
    'POST /x HTTP/1.1\r\nhost: x\r\ncontent-length: 3\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n',
  ],
  ['a negative length', 'POST /x HTTP/1.1\r\nhost: x\r\ncontent-length: -1\r\n\r\n'],
  [
    'chunks that are not the last coding',
    'POST /x HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked, gzip\r\n\r\n',
  ],
  ['no host', 'GET /healthz HTTP/1.1\r\nconnection: close\r\n\r\n'],
  ['two hosts', 'GET /healthz HTTP/1.1\r\nhost: x\r\nhost: y\r\nconnection: close\r\n\r\n'],
  ['the same length twice', post(['content-length: 2', 'content-length: 2'], '{}')],
  ['the coding identity', post(['transfer-encoding: identity'], '{}')],
  ['chunks twice', post([chunked, chunked], oneChunk)],
  ['chunks in HTTP/1.0', post([chunked], oneChunk, '1.0')],
  ['a chunk of a negative size', post([chunked], '-2\r\n{}\r\n0\r\n\r\n')],
  ['chunks with bare line feeds', post([chunked], '2\n{}\n0\n\n')],
  ['20 KB of extension of a chunk', post([chunked], `2;${'a'.repeat(20_000)}\r\n{}\r\n0\r\n\r\n`)],
  ['a bare carriage return in a header', 'GET / HTTP/1.1\r\nhost: x\r\na: b\rc: d\r\n\r\n'],
  ['a target in Latin-1', 'GET /\u00e9 HTTP/1.1\r\nhost: x\r\n\r\n'],
  ['a host with a user', 'GET / HTTP/1.1\r\nhost: a@evil.example\r\nconnection: close\r\n\r\n'],
];

test.each(malformedMessages)('%s gets 400 malformed_request, once', async (_what, bytes) => {
  const answer = await exchangeRaw(service.apiUrl, Buffer.from(bytes, 'latin1'));
  expectProblem(answer, 400, 'malformed_request');
  expect(answer.answers).toBe(1);
});

test.each([
  'OPTIONS * HTTP/1.1',
  'GET http://other.example/nothing HTTP/1.1',
  'GET ? HTTP/1.1',
  'PROPFIND /healthz HTTP/1.1',
])('the request line %j gets no 5xx', async (line) => {
  const answer = await exchangeRaw(
    service.apiUrl,
    `${line}\r\nhost: x\r\nconnection: close\r\n\r\n`,
  );
  expect(answer.status).toBeGreaterThanOrEqual(200);
  expect(answer.status).toBeLessThan(500);
  expect(answer.headers.get('x-request-id')).toMatch(/\S/);
});

test.each(['..', '%2e%2e', '.', '%2e', '..%5c', '../../../healthz'])(
  'a path is not normalized: the uid %j is not found',
  async (uid) => {
    const { apiKey, appUid } = service.app;
    const head = `GET /api/v1/appuid/${appUid}/agents/${uid} HTTP/1.1`;
    const lines = `${head}\r\nhost: x\r\nconnection: close\r\nx-api-key: ${apiKey}\r\n\r\n`;
    expectProblem(await exchangeRaw(service.apiUrl, lines), 404, 'not_found');
  },
);

test('CONNECT gets 405', async () => {
  const answer = await exchangeRaw(service.apiUrl, 'CONNECT x:443 HTTP/1.1\r\nhost: x\r\n\r\n');
  expectProblem(answer, 405, 'method_not_allowed');
  expect(answer.headers.get('allow')).toContain('GET');
});

test.each(['websocket', 'h2c'])('an upgrade to %s is refused', async (protocol) => {
  const headers = ['connection: upgrade, close', `upgrade: ${protocol}`];
  const lines = ['GET /healthz HTTP/1.1', 'host: x', ...headers, '', ''].join('\r\n');
  expect((await exchangeRaw(service.apiUrl, lines)).status).toBe(200);
});

test('the body of a GET is not read as the next request', async () => {
  const smuggled = 'GET /readyz HTTP/1.1\r\nhost: x\r\n\r\n';
  const headers = ['host: x', 'connection: close', `content-length: ${smuggled.length}`];
  const lines = ['GET /healthz HTTP/1.1', ...headers, '', smuggled].join('\r\n');
  const answer = await exchangeRaw(service.apiUrl, lines);
  expect({ status: answer.status, answers: answer.answers }).toEqual({ status: 200, answers: 1 });
});

test('two Content-Type headers get 400, although the first one is right', async () => {
  const headers = [json, 'content-type: text/plain', `content-length: ${agent.length}`];
  const answer = await exchangeRaw(service.apiUrl, request('POST', headers, agent));
  expectProblem(answer, 400, 'malformed_request');
});

test('no header is dropped, even if there are very many', async () => {
  const fillers = Array<string>(3_000).fill('a:');
  const twice = `x-api-key: ${service.app.apiKey}`;
  const answer = await exchangeRaw(service.apiUrl, request('GET', [...fillers, twice]));
  expectProblem(answer, 400, 'credentials_conflict');
});

test('a trailer of more than 16 KiB gets 431', async () => {
  const trailer = `2\r\n{}\r\n0\r\na: ${'a'.repeat(20_000)}\r\n\r\n`;
  const answer = await exchangeRaw(service.apiUrl, request('POST', [json, chunked], trailer));
  expectProblem(answer, 431, 'headers_too_large');
});

test('an error before the request is parsed has the headers of every response', async () => {
  const refused = await exchangeRaw(service.apiUrl, 'hello\r\n\r\n');
  const answered = await service.raw('GET', '/nothing');
  for (const name of ['cache-control', 'content-security-policy', 'referrer-policy']) {
    expect(refused.headers.get(name)).toBe(answered.headers.get(name));
    expect(refused.headers.get(name)).toMatch(/\S/);
  }
});

test('HTTP/1.0 needs no host', async () => {
  expect((await exchangeRaw(service.apiUrl, 'GET /healthz HTTP/1.0\r\n\r\n')).status).toBe(200);
});

test('a broken chunk gets one 400, even after the request has begun', async () => {
  const head = request('POST', [json, 'transfer-encoding: chunked']);
  const answer = await exchangeRaw(service.apiUrl, head, '5\r\n{"age', '\r\nzz\r\n');
  expectProblem(answer, 400, 'malformed_request');
  expect(answer.answers).toBe(1);
});

test.each([
  ['a chunk that is longer than its size', '2\r\n{}x\r\n0\r\n\r\n'],
  ['a length in the trailer', '2\r\n{}\r\n0\r\ncontent-length: 5\r\n\r\n'],
])('%s gets one 400', async (_what, body) => {
  const answer = await exchangeRaw(service.apiUrl, request('POST', [json, chunked], body));
  expectProblem(answer, 400, 'malformed_request');
  expect(answer.answers).toBe(1);
});

test.each([
  ['no type, in chunks', [chunked], '0\r\n\r\n'],
  ['the type JSON, in chunks', [json, chunked], '0\r\n\r\n'],
  ['another type, in chunks', ['content-type: text/plain', chunked], '0\r\n\r\n'],
  ['the length 00', [json, 'content-length: 00'], ''],
])('an empty body counts as an empty object: %s', async (_what, headers, body) => {
  const answer = await exchangeRaw(service.apiUrl, request('POST', headers, body));
  expectProblem(answer, 400, 'invalid_request');
  expect(faultsOf(answer)).toContain('#/agentName required');
});

test('the malformed rest of a request that got a response gets no second one', async () => {
  const lines = ['POST /nothing HTTP/1.1', 'host: x', chunked, '', ''].join('\r\n');
  const answer = await exchangeRaw(service.apiUrl, lines, '5\r\nab', 'cde\r\nzz\r\n');
  expectProblem(answer, 404, 'not_found');
  expect(answer.answers).toBe(1);
});

test('headers of more than 16 KiB get 431, and slightly shorter ones are read', async () => {
  const tooLarge = await exchangeRaw(
    service.apiUrl,
    request('GET', [`x-filler: ${'x'.repeat(16 * 1024)}`]),
  );
  expectProblem(tooLarge, 431, 'headers_too_large');
  const large = await exchangeRaw(
    service.apiUrl,
    request('GET', [`x-filler: ${'x'.repeat(15 * 1024)}`]),
  );
  expect(large.status).toBe(200);
});

test('an expectation other than 100-continue gets 417', async () => {
  const headers = [json, 'expect: 200-ok', `content-length: ${agent.length}`];
  expectProblem(
    await exchangeRaw(service.apiUrl, request('POST', headers, agent)),
    417,
    'expectation_failed',
  );
});

test('an expectation of 100-continue is answered with 100 Continue', async () => {
  const headers = [json, 'expect: 100-continue', `content-length: ${agent.length}`];
  const answer = await exchangeRaw(service.apiUrl, request('POST', headers, agent));
  expect(answer.status).toBe(100);
  expect(answer.answers).toBe(2);
});

test.each([
  ['two x-api-key headers', (key: string) => [`x-api-key: ${key}`]],
  [
    'two Authorization headers',
    (key: string) => [`authorization: Bearer ${key}`, `authorization: Bearer ${key}`],
  ],
  ['one of each', (key: string) => [`authorization: Bearer ${key}`]],
  ['a second, empty one', () => ['X-API-KEY:']],
])('%s get 400, even with the same key', async (_what, more) => {
  const answer = await exchangeRaw(service.apiUrl, request('GET', more(service.app.apiKey)));
  expectProblem(answer, 400, 'credentials_conflict');
});

test('a body over the limit is refused by its Content-Length before it is sent', async () => {
  const answer = await exchangeRaw(
    service.apiUrl,
    request('POST', [json, 'content-length: 262145']),
  );
  expectProblem(answer, 413, 'payload_too_large');
  expect(answer.headers.get('connection')).toBe('close');
});

test('two Idempotency-Key headers get 400', async () => {
  const headers = [
    json,
    `content-length: ${agent.length}`,
    'idempotency-key: a',
    'idempotency-key: a',
  ];
  expectProblem(
    await exchangeRaw(service.apiUrl, request('POST', headers, agent)),
    400,
    'malformed_request',
  );
});

test('a body that ends early creates no agent', async () => {
  const before = await service.store.agents.countDocuments();
  const socketText = request('POST', [json, 'content-length: 1000'], agent);
  const socket = connect(Number(new URL(service.apiUrl).port), '127.0.0.1');
  socket.resume();
  socket.end(socketText);
  await once(socket, 'close');
  expect(await service.store.agents.countDocuments()).toBe(before);
});
