// The sender over TLS: which certificates it trusts, and how it reports the others.
import { beforeAll, expect, test } from 'vitest';
import type { EgressPolicy } from '../../../lib/egress/egress-policy.ts';
import { createHttpSender, type Sender } from '../../../lib/egress/http-sender.ts';
import {
  type KeyPair,
  makeKeyPair,
  startReceiver,
  startTcpReceiver,
  startTlsReceiver,
} from '../../support/receivers.ts';

const policy: EgressPolicy = {
  allowHttp: false,
  ports: 'any',
  allowCidrs: ['127.0.0.1/32'],
  denyCidrs: [],
};

let pair: KeyPair;
beforeAll(() => {
  pair = makeKeyPair();
});

const resolver = async (): Promise<readonly string[]> => ['127.0.0.1'];

function senderWith(ca?: string): Sender {
  return createHttpSender({ policy, resolver, ...(ca === undefined ? {} : { ca }) });
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

test('a self-signed certificate is refused before anything is sent', async () => {
  await using receiver = await startTlsReceiver(pair, (response) => response.end());
  await using sender = senderWith();
  const url = `https://receiver.example.com:${receiver.port}/`;
  expect(await sender.send({ url, headers: {}, body: '{}' })).toMatchObject({
    kind: 'failed',
    errorClass: 'tls',
    detail: 'the certificate of the receiver is self-signed',
    address: '127.0.0.1',
  });
  expect(receiver.requests).toHaveLength(0);
});

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
