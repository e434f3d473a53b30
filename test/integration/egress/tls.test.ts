// TLS: which certificates the sender trusts, how it reports others, and the headers and client certificates of webhooks.
import type { TLSSocket } from 'node:tls';
import {
  type Arbitrary,
  assert,
  asyncProperty,
  constantFrom,
  dictionary,
  integer,
  oneof,
  string,
} from 'fast-check';
import { createHttpSender } from '../../../lib/egress/http-sender.ts';
import type { Sender } from '../../../lib/egress/sender.ts';
import { headerFaults } from '../../../lib/webhooks/custom-headers.ts';
import { type Authority, type ClientPair, makeAuthority } from '../../support/certificates.ts';
import { startConnectProxy } from '../../support/connect-proxy.ts';
import {
  type Answering,
  type KeyPair,
  makeKeyPair,
  startReceiver,
  startTlsReceiver,
  startTcpReceiver,
} from '../../support/receivers.ts';
import { policyOfThisMachine as policy, post, statusOf } from './sends.ts';
import type { EgressPolicy } from '../../../lib/egress/egress-policy.ts';

let pair: KeyPair;
let authority: Authority;
let one: ClientPair;
let other: ClientPair;

beforeAll(() => {
  pair = makeKeyPair();
  authority = makeAuthority('Clients');
  one = authority.issue('one');
  other = authority.issue('other');
});

afterAll(() => {
  authority?.[Symbol.dispose]();
});

const wanting = (more: object = {}) => ({
  ...pair,
  requestCert: true,
  ca: authority.certificate,
  ...more,
});

/** Responds with the name in the client's certificate. */
const sayName: Answering = (response) => {
  response.end((response.socket as TLSSocket).getPeerCertificate().subject?.CN ?? 'nobody');
};

const as = (client: ClientPair, owner: string) => ({ clientCertificate: { ...client, owner } });

test('every accepted header arrives as it is written', async () => {
  await using receiver = await startReceiver((response) => response.end());
  await using sender = createHttpSender({ policy });
  const mostly = (usual: Arbitrary<string>) => {
    const any = string({ unit: 'binary', minLength: 1, maxLength: 1 });
    const unit = oneof({ arbitrary: usual, weight: 30 }, { arbitrary: any, weight: 1 });
    return string({ unit, minLength: 1, maxLength: 12 });
  };
  const name = mostly(constantFrom(..."azAZ09!#$%&'*+-.^_`|~".split('')));
  const value = mostly(integer({ min: 0x20, max: 0x7e }).map((code) => String.fromCharCode(code)));
  const headers = dictionary(name, value, { minKeys: 1, maxKeys: 3, noNullPrototype: true });
  const accepted = headers.filter((each) => headerFaults(each).length === 0);
  await assert(
    asyncProperty(accepted, async (each) => {
      expect(statusOf(await sender.send(post(receiver.url, { headers: each })))).toBe(200);
      const { rawHeaders = [] } = receiver.requests.at(-1) ?? {};
      const pairs = rawHeaders.flatMap((text, at) =>
        at % 2 === 0 ? [[text, rawHeaders[at + 1]]] : [],
      );
      expect(pairs).toEqual(expect.arrayContaining(Object.entries(each)));
    }),
    { numRuns: 100 },
  );
});

test.each(['TLSv1.2', 'TLSv1.3'] as const)(
  'with %s each owner has its own connections, which nobody else uses',
  async (version) => {
    const options = wanting({ rejectUnauthorized: false, maxVersion: version });
    await using receiver = await startTlsReceiver(options, sayName);
    await using sender = createHttpSender({ policy, ca: pair.cert });
    const names: string[] = [];
    const send = async (more: object = {}): Promise<void> => {
      const result = await sender.send(post(receiver.url, more));
      names.push(result.kind === 'responded' ? result.responseSample : result.detail);
    };
    await send(as(one, 'a one'));
    await send(as(other, 'b other'));
    await send();
    expect([names, receiver.sockets.length]).toEqual([['one', 'other', 'nobody'], 3]);
    // The same certificate, but of another webhook.
    await send(as(one, 'b one'));
    expect(receiver.sockets).toHaveLength(4);
    await send(as(one, 'a one'));
    await send(as(other, 'b other'));
    await send();
    expect(names.slice(3)).toEqual(['one', 'one', 'other', 'nobody']);
    expect(receiver.sockets).toHaveLength(4);
  },
);

test('through the egress proxy, too, each owner has its own connections', async () => {
  const options = wanting({ rejectUnauthorized: false });
  await using receiver = await startTlsReceiver(options, sayName);
  await using proxy = await startConnectProxy();
  const { port } = proxy;
  await using sender = createHttpSender({
    policy,
    ca: pair.cert,
    proxy: { host: '127.0.0.1', port, authorization: null },
  });
  const sample = async (more: object): Promise<unknown> => {
    const result = await sender.send(post(receiver.url, more));
    return result.kind === 'responded' ? result.responseSample : result.detail;
  };
  expect(await sample(as(one, 'a one'))).toBe('one');
  expect(await sample(as(other, 'b other'))).toBe('other');
  expect(await sample({})).toBe('nobody');
  expect(receiver.sockets).toHaveLength(3);
});

test.each(['TLSv1.2', 'TLSv1.3'] as const)(
  'a receiver with %s that does not know the issuer is a tls failure that names the certificate',
  async (version) => {
    using stranger = makeAuthority('Strangers');
    const options = wanting({ maxVersion: version });
    await using receiver = await startTlsReceiver(options, sayName);
    await using sender = createHttpSender({ policy, ca: pair.cert });
    const result = await sender.send(post(receiver.url, as(stranger.issue('stranger'), 'a')));
    expect(result).toMatchObject({
      kind: 'failed',
      errorClass: 'tls',
      detail: expect.stringContaining('refused the client certificate'),
    });
    expect(receiver.requests).toHaveLength(0);
    expect(statusOf(await sender.send(post(receiver.url, as(one, 'a one'))))).toBe(200);
  },
);

test('a pair that OpenSSL rejects is our own fault', async () => {
  await using receiver = await startTlsReceiver(wanting(), sayName);
  await using sender = createHttpSender({ policy, ca: pair.cert });
  const mixed = { certificate: one.certificate, key: other.key };
  await expect(sender.send(post(receiver.url, as(mixed, 'a')))).rejects.toMatchObject({
    code: 'CLIENT_CERTIFICATE_UNUSABLE',
  });
});

const publicPolicy: EgressPolicy = {
  allowHttp: false,
  ports: 'any',
  allowCidrs: ['127.0.0.1/32'],
  denyCidrs: [],
};

const resolver = async (): Promise<readonly string[]> => ['127.0.0.1'];

function senderWith(ca?: string): Sender {
  return createHttpSender({ policy: publicPolicy, resolver, ...(ca === undefined ? {} : { ca }) });
}

test.each(['receiver.example.com', 'receiver.example.com.', '127.0.0.1'])(
  'a trusted certificate for %s is accepted',
  async (host) => {
    await using receiver = await startTlsReceiver(pair, (response) => response.end('hello'));
    await using sender = senderWith(pair.cert);
    const url = `https://${host}:${receiver.port}/`;
    const first = await sender.send({ url, headers: {}, body: '{}' });
    expect(first).toMatchObject({ status: 200, responseSample: 'hello', address: '127.0.0.1' });
    expect(first.ms).toMatchObject({ connect: expect.any(Number), tls: expect.any(Number) });
    const second = await sender.send({ url, headers: {}, body: '{}' });
    expect(second.kind).toBe('responded');
    expect(second.ms.tls).toBeUndefined();
    expect(receiver.sockets).toHaveLength(1);
  },
);

test('a certificate for another name is refused', async () => {
  await using receiver = await startTlsReceiver(pair, (response) => response.end());
  await using sender = senderWith(pair.cert);
  const url = `https://other.example.com:${receiver.port}/`;
  expect(await sender.send({ url, headers: {}, body: '{}' })).toMatchObject({
    errorClass: 'tls',
    detail: 'the certificate of the receiver is for another host name',
  });
  expect(receiver.requests).toHaveLength(0);
});

test('a receiver without TLS is a tls failure', async () => {
  await using receiver = await startReceiver((response) => response.end());
  await using sender = senderWith(pair.cert);
  const url = `https://receiver.example.com:${receiver.port}/`;
  expect(await sender.send({ url, headers: {}, body: '{}' })).toMatchObject({ errorClass: 'tls' });
});

test('a handshake that never ends is a timeout', async () => {
  await using receiver = await startTcpReceiver(() => undefined);
  await using sender = senderWith(pair.cert);
  const url = `https://receiver.example.com:${receiver.port}/`;
  const result = await sender.send({ url, headers: {}, body: '{}', timeoutMs: 2_000 });
  expect(result).toMatchObject({
    errorClass: 'timeout',
    detail: 'the TLS handshake with the receiver did not end in time',
  });
});

// None of these tests a timeout. It is reached only if the sender waits in vain.
const timeoutMs = 60_000;

test.each([
  [{ ALPNProtocols: ['h2'] }, 'the receiver does not speak HTTP/1.1 over TLS'],
  [
    { minVersion: 'TLSv1', maxVersion: 'TLSv1.1', ciphers: 'DEFAULT@SECLEVEL=0' },
    'the receiver speaks neither TLS 1.2 nor 1.3',
  ],
  [
    { requestCert: true, maxVersion: 'TLSv1.3' },
    'the receiver wants a client certificate, and none is sent',
  ],
  [{ requestCert: true, maxVersion: 'TLSv1.2' }, 'the TLS handshake with the receiver failed'],
  // The receiver chooses how much work that is, and need not do its own part.
  [
    { maxVersion: 'TLSv1.2', ciphers: 'DHE-RSA-AES128-GCM-SHA256', dhparam: 'auto' },
    'the TLS handshake with the receiver failed',
  ],
  [{ minVersion: 'TLSv1.3', ecdhCurve: 'ffdhe2048' }, 'the TLS handshake with the receiver failed'],
] as const)(
  'a receiver with the TLS options %j fails with its own message',
  async (options, detail) => {
    const wanted = { ...pair, ...options, ca: pair.cert };
    await using receiver = await startTlsReceiver(wanted, (response) => response.end());
    await using sender = senderWith(pair.cert);
    const url = `https://receiver.example.com:${receiver.port}/`;
    const result = await sender.send({ url, headers: {}, body: '{}', timeoutMs });
    expect(result).toMatchObject({ kind: 'failed', errorClass: 'tls', detail });
    expect(receiver.requests).toHaveLength(0);
  },
);

// Bytes outside of the TLS connection: an unencrypted alert, and bytes that are not a record.
const brokenRecords = [Buffer.from('15030300020228', 'hex'), Buffer.from('no record')];

test.each(brokenRecords)('a broken record ends an exchange immediately (%#)', async (record) => {
  let begins = false;
  await using receiver = await startTlsReceiver(pair, (response) => {
    const breakOff = (): void => void receiver.sockets.at(-1)?.write(record);
    if (!begins) {
      breakOff();
      return;
    }
    response.writeHead(200, { 'content-length': 20 });
    response.write('half', breakOff);
  });
  await using sender = senderWith(pair.cert);
  const url = `https://receiver.example.com:${receiver.port}/`;
  const send = () => sender.send({ url, headers: {}, body: '{}', timeoutMs });
  const detail = 'the TLS connection with the receiver broke';
  expect(await send()).toMatchObject({ kind: 'failed', errorClass: 'tls', detail });
  begins = true;
  const half = { kind: 'responded', status: 200, responseSample: 'half', detail };
  expect(await send()).toMatchObject(half);
});

test.each(brokenRecords)(
  'a kept connection with a broken record is replaced immediately (%#)',
  async (record) => {
    await using receiver = await startTlsReceiver(pair, (response) => response.end());
    await using sender = senderWith(pair.cert);
    const url = `https://receiver.example.com:${receiver.port}/`;
    expect(await sender.send({ url, headers: {}, body: '{}' })).toMatchObject({ status: 200 });
    receiver.sockets[0]?.write(record);
    expect(await sender.send({ url, headers: {}, body: '{}' })).toMatchObject({ status: 200 });
    expect(receiver.sockets).toHaveLength(2);
  },
);
