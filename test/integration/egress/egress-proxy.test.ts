// Requests through the operator's proxy: it gets only checked addresses, and its failures are not the receiver's.
import { parseEgressProxy } from '../../../lib/egress/egress-proxy.ts';
import type { EgressPolicy } from '../../../lib/egress/egress-policy.ts';
import { createHttpSender, type HttpSenderOptions } from '../../../lib/egress/http-sender.ts';
import type { Sender } from '../../../lib/egress/sender.ts';
import {
  type ConnectProxy,
  type ProxyReaction,
  startConnectProxy,
} from '../../support/connect-proxy.ts';
import {
  closedPort,
  type KeyPair,
  makeKeyPair,
  startReceiver,
  startTcpReceiver,
  startTlsReceiver,
} from '../../support/receivers.ts';
import { waitFor } from '../../support/wait-for.ts';

const policy: EgressPolicy = {
  allowHttp: true,
  ports: 'any',
  allowCidrs: ['127.0.0.1/32', '127.0.0.3/32'],
  denyCidrs: [],
};

let pair: KeyPair;
beforeAll(() => {
  pair = makeKeyPair();
});

function senderThrough(
  { port }: Pick<ConnectProxy, 'port'>,
  options: Partial<HttpSenderOptions> & { credentials?: string } = {},
): Sender {
  const { credentials = '' } = options;
  const proxy = parseEgressProxy(`http://${credentials}127.0.0.1:${port}`);
  return createHttpSender({ policy, proxy, resolver: async () => ['127.0.0.1'], ...options });
}

test('the proxy gets the checked address, and the certificate is checked against the name', async () => {
  await using receiver = await startTlsReceiver(pair, (response) => response.end('hello'));
  await using proxy = await startConnectProxy();
  await using sender = senderThrough(proxy, { ca: pair.cert });
  const send = (host: string) =>
    sender.send({ url: `https://${host}:${receiver.port}/`, headers: {}, body: '{}' });
  expect(await send('receiver.example.com')).toMatchObject({
    status: 200,
    responseSample: 'hello',
    address: '127.0.0.1',
    ms: { connect: expect.any(Number), tls: expect.any(Number) },
  });
  // The connection is kept, as without a proxy.
  expect(await send('receiver.example.com')).toMatchObject({ status: 200 });
  expect(proxy.targets).toEqual([`127.0.0.1:${receiver.port}`]);
  expect(await send('other.example.com')).toMatchObject({ kind: 'failed', errorClass: 'tls' });
  expect(receiver.requests).toHaveLength(2);
});

test('plain http goes through a tunnel, too, and credentials go only to the proxy', async () => {
  await using receiver = await startReceiver((response) => response.end());
  await using proxy = await startConnectProxy();
  await using sender = senderThrough(proxy, { credentials: 'herald:p%40ss@' });
  const url = `http://receiver.example.com:${receiver.port}/`;
  expect(await sender.send({ url, headers: {}, body: '{}' })).toMatchObject({ status: 200 });
  const authorization = `Basic ${Buffer.from('herald:p@ss').toString('base64')}`;
  expect(proxy.authorizations).toEqual([authorization]);
  expect(receiver.requests[0]?.headers['proxy-authorization']).toBeUndefined();
  expect(receiver.requests[0]?.headers.host).toBe(`receiver.example.com:${receiver.port}`);
});

test.each(['127.0.0.2', '::1'])(
  'a name that resolves to %s alone causes no request to the proxy',
  async (address) => {
    await using proxy = await startConnectProxy();
    await using sender = senderThrough(proxy, { resolver: async () => [address] });
    const url = 'http://receiver.example.com/';
    expect(await sender.send({ url, headers: {}, body: '' })).toMatchObject({
      errorClass: 'blocked',
      address: null,
    });
    expect(proxy.sockets).toHaveLength(0);
  },
);

test('an address that the proxy cannot connect to does not delay others', async () => {
  await using receiver = await startReceiver((response) => response.end());
  await using proxy = await startConnectProxy((target) =>
    target.startsWith('127.0.0.3') ? 'silence' : 'connect',
  );
  const addresses = ['127.0.0.3', '10.0.0.1', '127.0.0.1'];
  const url = `http://receiver.example.com:${receiver.port}/`;
  // Each attempt starts at a random address.
  for (let round = 0; round < 5; round += 1) {
    await using sender = senderThrough(proxy, { resolver: async () => addresses });
    const result = await sender.send({ url, headers: {}, body: '' });
    expect(result).toMatchObject({ status: 200, address: '127.0.0.1' });
  }
  expect(proxy.targets.every((target) => !target.startsWith('10.'))).toBe(true);
  await waitFor(() => proxy.sockets.every((socket) => socket.destroyed));
});

test('when the proxy cannot reach an address, the next one is tried', async () => {
  await using receiver = await startReceiver((response) => response.end());
  await using proxy = await startConnectProxy((target) =>
    target.startsWith('127.0.0.3') ? { status: 502 } : 'connect',
  );
  await using sender = senderThrough(proxy, { resolver: async () => ['127.0.0.3', '127.0.0.1'] });
  const url = `http://receiver.example.com:${receiver.port}/`;
  // Each attempt starts at a random address.
  await waitFor(async () => {
    const result = await sender.send({ url, headers: {}, body: '' });
    expect(result).toMatchObject({ status: 200, address: '127.0.0.1' });
    for (const socket of receiver.sockets) socket.destroy();
    return proxy.targets.some((target) => target.startsWith('127.0.0.3'));
  });
});

const refusals: readonly (readonly [string, ProxyReaction])[] = [
  ['403', { status: 403 }],
  ['407 without a challenge, as smokescreen refuses', { status: 407 }],
  ['unrequested bytes', { status: 200, early: 'HTTP/1.1 200 OK\r\n\r\n' }],
];

test.each(refusals)(
  'a proxy that responds with %s counts as not connected',
  async (_what, reaction) => {
    await using proxy = await startConnectProxy(() => reaction);
    await using sender = senderThrough(proxy);
    const url = 'http://receiver.example.com/';
    expect(await sender.send({ url, headers: {}, body: '' })).toMatchObject({
      errorClass: 'connect',
      detail: 'the egress proxy did not connect to the receiver',
    });
    await waitFor(() => proxy.sockets.every((socket) => socket.destroyed));
  },
);

test('a proxy that never finishes connecting is a timeout of the receiver', async () => {
  await using proxy = await startConnectProxy(() => 'silence');
  await using sender = senderThrough(proxy);
  const url = 'http://receiver.example.com/';
  const result = await sender.send({ url, headers: {}, body: '', timeoutMs: 2_000 });
  expect(result).toMatchObject({
    errorClass: 'timeout',
    detail: 'no connection to the receiver was made in time',
  });
});

test('a proxy that is unreachable, disconnects or rejects the credentials is our own fault and does not count as an attempt', async () => {
  const post = { url: 'http://receiver.example.com/', headers: {}, body: '' };
  await using away = senderThrough({ port: await closedPort() });
  await expect(away.send(post)).rejects.toMatchObject({ code: 'PROXY_FAILED' });
  await using broken = await startTcpReceiver((socket) => socket.destroy());
  await using breaking = senderThrough(broken);
  await expect(breaking.send(post)).rejects.toMatchObject({ code: 'PROXY_FAILED' });
  await using strict = await startConnectProxy(() => ({
    status: 407,
    headers: { 'Proxy-Authenticate': 'Basic realm="egress"' },
  }));
  await using unknown = senderThrough(strict);
  await expect(unknown.send(post)).rejects.toThrow('does not accept our credentials');
});

test('a proxy must be an http address with a host, and no error contains its password', () => {
  expect(parseEgressProxy('http://proxy.example:3128')).toEqual({
    host: 'proxy.example',
    port: 3128,
    authorization: null,
  });
  expect(parseEgressProxy('http://[::1]:3128/')).toMatchObject({ host: '::1', port: 3128 });
  expect(parseEgressProxy('http://proxy.example')).toMatchObject({ port: 80 });
  for (const bad of [
    '',
    'proxy.example:3128',
    'https://user:hunter2@proxy.example',
    'http://user:hunter2@proxy.example/path',
    'http://user:hunter2@',
    'http://user:hunter2%@proxy.example',
  ]) {
    expect(() => parseEgressProxy(bad)).toThrow(
      /^must be http:\/\/host:port or http:\/\/user:password@host:port$/,
    );
  }
});
