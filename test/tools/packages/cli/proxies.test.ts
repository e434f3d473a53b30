// The way that requests of the command line take: directly, or through a proxy of the environment.
import { createServer, request as sendRequest } from 'node:http';
import { connect } from 'node:net';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { routeTo } from '../../../../packages/cli/src/proxy.ts';
import { buildCommandLine, type CommandLine } from '../../../support/command-line.ts';
import {
  type Answering,
  closedPort,
  listen,
  makeKeyPair,
  startReceiver,
  startTlsReceiver,
} from '../../../support/receivers.ts';
import { waitFor } from '../../../support/wait-for.ts';

let cli: CommandLine;
beforeAll(async () => {
  cli = await buildCommandLine({ HERALD_APP_UID: 'app_1', HERALD_API_KEY: 'key' });
});
afterAll(() => cli[Symbol.asyncDispose]());

/** Answers like the service: a stream with one event, health and readiness, or an empty list. */
const asService: Answering = (response, { path }) => {
  if (path.includes('/events/stream')) {
    response.setHeader('content-type', 'text/event-stream');
    const event = { eventId: 'evt_1', event: 'agent.created', resourceUid: 'agt_1', payload: {} };
    response.write('event: opened\nid: 1\ndata: {}\n\n');
    response.write(`id: 2\ndata: ${JSON.stringify(event)}\n\n`);
    return;
  }
  response.setHeader('content-type', 'application/json');
  const status = { version: '0.1.0', status: 'ready', parts: {} };
  response.end(JSON.stringify({ ...status, data: [], nextCursor: null }));
};

/** Starts a proxy to `port` of this machine, whatever host is asked for. It wants the user `me:p@ss`. */
async function startProxy(port: number) {
  const asked: string[] = [];
  const isKnown = (header: string | undefined) =>
    header === `Basic ${Buffer.from('me:p@ss').toString('base64')}`;
  const server = createServer((request, response) => {
    asked.push(`${request.method} ${request.url}`);
    if (!isKnown(request.headers['proxy-authorization'])) return response.writeHead(407).end();
    const { method, headers } = request;
    const { pathname, search } = new URL(request.url ?? '');
    const options = { port, host: '127.0.0.1', method, headers, path: pathname + search };
    const forwarded = sendRequest(options, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    return request.pipe(forwarded);
  });
  server.on('connect', (request, socket) => {
    asked.push(`CONNECT ${request.url}`);
    if (!isKnown(request.headers['proxy-authorization']))
      return socket.end('HTTP/1.1 407 Proxy Authentication Required\r\n\r\n');
    const target = connect(port, '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n');
      socket.pipe(target).pipe(socket);
    });
    return target.on('error', () => socket.destroy()) && socket.on('error', () => target.destroy());
  });
  const listening = await listen(server);
  const { url: shown } = listening;
  return { ...listening, asked, url: shown.replace('//', '//me:p%40ss@'), shown };
}

const list = ['webhooks', 'list'];
const plain = { HERALD_URL: 'http://herald.test' };

test.each([
  ['HTTP_PROXY', (url: string) => ({ HTTP_PROXY: url })],
  ['http_proxy before HTTP_PROXY', (url: string) => ({ http_proxy: url, HTTP_PROXY: 'http://x' })],
  ['a proxy without a scheme', (url: string) => ({ HTTP_PROXY: url.replace('http://', '') })],
])('calls go through %s', async (_, env) => {
  await using service = await startReceiver(asService);
  await using proxy = await startProxy(service.port);
  const outcome = await cli.run(list, { env: { ...plain, ...env(proxy.url) } });
  expect(outcome).toEqual({ code: 0, stdout: '[]\n', stderr: '' });
  expect(proxy.asked).toEqual([expect.stringMatching(/^GET http:\/\/herald\.test\/api\//)]);
});

test('calls over TLS go through a tunnel of HTTPS_PROXY, and not through HTTP_PROXY', async () => {
  const pair = makeKeyPair();
  await writeFile(join(cli.folder, 'cert.pem'), pair.cert);
  await using service = await startTlsReceiver(pair, asService);
  await using proxy = await startProxy(service.port);
  const trusted = { NODE_EXTRA_CA_CERTS: join(cli.folder, 'cert.pem') };
  const env = { HERALD_URL: 'https://receiver.example.com', HTTPS_PROXY: proxy.url, ...trusted };
  const outcome = await cli.run(list, { env });
  expect(outcome).toEqual({ code: 0, stdout: '[]\n', stderr: '' });
  expect(proxy.asked).toEqual(['CONNECT receiver.example.com:443']);
});

test('the stream of listen goes through a proxy, and events for this machine do not', async () => {
  await using service = await startReceiver(asService);
  await using local = await startReceiver((response) => void response.end());
  await using proxy = await startProxy(service.port);
  const env = { ...plain, http_proxy: proxy.url };
  const args = ['listen', '--forward-to', `${local.url}/hook`];
  await using listening = await cli.start(args, 'connected', env);
  await waitFor(() => local.requests.length === 1, { what: 'the event' });
  expect(proxy.asked).toEqual([expect.stringMatching(/^GET .*\/events\/stream$/)]);
  expect(listening.stderr.join('\n')).not.toContain('proxy');
});

test('listen says through which proxy it forwards to another machine', async () => {
  await using service = await startReceiver(asService);
  await using proxy = await startProxy(service.port);
  const env = { ...plain, http_proxy: proxy.url };
  const args = ['listen', '--forward-to', 'http://other.test/hook'];
  await using listening = await cli.start(args, 'connected', env);
  await waitFor(() => proxy.asked.includes('POST http://other.test/hook'), { what: 'the event' });
  expect(listening.stderr[0]).toContain(`through the proxy ${proxy.shown} (http_proxy)`);
});

test('doctor shows the proxy without its password', async () => {
  await using service = await startReceiver(asService);
  await using proxy = await startProxy(service.port);
  const doctor = ['doctor', '--no-webhooks', '--table'];
  const env = { ...plain, HTTP_PROXY: proxy.url };
  const by = await cli.run(doctor, { env });
  expect(by.stdout).toContain(`${proxy.shown} (HTTP_PROXY)`);
  expect(by.stdout + by.stderr).not.toMatch(/p@ss|p%40ss|me:/);
  const own = { HERALD_URL: service.url, HTTP_PROXY: proxy.url };
  const direct = await cli.run(doctor, { env: own });
  expect(direct.stdout).toMatch(/proxy +ok +none, because 127\.0\.0\.1 is this machine/);
});

test.each(['http', 'https'])('a proxy that refuses its user is named, over %s', async (scheme) => {
  await using service = await startReceiver(asService);
  await using proxy = await startProxy(service.port);
  const url = proxy.url.replace('me:', 'me:wrong');
  const env = { HERALD_URL: `${scheme}://herald.test`, HTTP_PROXY: url, HTTPS_PROXY: url };
  const { code, stderr } = await cli.run(list, { env });
  expect([code, stderr]).toEqual([5, expect.stringContaining(`through the proxy ${proxy.shown}`)]);
  expect(stderr).toContain('another user or password (407)');
  expect(stderr).not.toContain('wrong');
});

test('an unreachable proxy is named', async () => {
  const port = await closedPort();
  const env = { ...plain, HTTP_PROXY: `http://me:hidden@127.0.0.1:${port}` };
  const { code, stderr } = await cli.run(list, { env });
  expect([code, stderr]).toEqual([5, expect.stringContaining('ECONNREFUSED')]);
  expect(stderr).toContain(`through the proxy http://127.0.0.1:${port}`);
});

test.each(['http://', 'socks5://me:hidden@localhost', 'http://me:hidden@', 'ftp://hidden'])(
  'the proxy %j is refused without being shown',
  async (HTTP_PROXY) => {
    const { code, stderr } = await cli.run(list, { env: { ...plain, HTTP_PROXY } });
    expect([code, stderr]).toEqual([2, expect.stringContaining('HTTP_PROXY must be the URL')]);
    expect(stderr).not.toContain('hid');
  },
);

test.each([
  ['https://a.test', '', true],
  ['https://a.test', '*', false],
  ['https://a.test', 'b.test, a.test', false],
  ['https://A.test', 'a.TEST', false],
  ['https://x.a.test', 'a.test', false],
  ['https://x.a.test', '.a.test', false],
  ['https://x.a.test', '*.a.test', false],
  ['https://a.test.', 'a.test.', false],
  ['https://ba.test', 'a.test', true],
  ['https://a.test', 'a.test:443', false],
  ['https://a.test', 'a.test:8443', true],
  ['https://10.1.2.3', '10.1.2.3', false],
  ['https://10.1.2.3', '10.0.0.0/8', false],
  ['https://10.1.2.3', '10.0.0.0/33', true],
  ['https://11.1.2.3', '10.0.0.0/8', true],
  ['https://[2001:db8::1]', '2001:db8:0::1', false],
  ['https://[2001:db8::1]', '2001:db8::/32', false],
  ['https://localhost:3000', '', false],
  ['https://127.8.9.1', '', false],
  ['https://localhost.test', '', true],
])('%s with NO_PROXY=%s goes through a proxy: %j', (address, NO_PROXY, expected) => {
  const route = routeTo(address, { HTTPS_PROXY: 'http://proxy.test:3128', NO_PROXY });
  expect([route.proxy !== null, route.description]).toEqual([expected, expect.any(String)]);
});

test.each([
  [{ https_proxy: 'http://low', HTTPS_PROXY: 'http://up' }, 'http://low (https_proxy)'],
  [{ https_proxy: '', HTTPS_PROXY: 'http://up' }, 'http://up (HTTPS_PROXY)'],
  [{ HTTP_PROXY: 'http://up' }, 'none'],
  [
    { HTTPS_PROXY: 'http://up', no_proxy: 'a.test', NO_PROXY: 'b' },
    'none, because NO_PROXY covers',
  ],
  [{ HTTPS_PROXY: 'https://me:secret@up:1' }, 'https://up:1 (HTTPS_PROXY)'],
])('with %j the route is: %s', (environment, expected) => {
  expect(routeTo('https://a.test', environment).description).toContain(expected);
});
