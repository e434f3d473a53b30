// Requests with a webhook's own headers and client certificate: what arrives, and over which connections.
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
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createHttpSender } from '../../../lib/egress/http-sender.ts';
import { headerFaults } from '../../../lib/webhooks/custom-headers.ts';
import { type Authority, type ClientPair, makeAuthority } from '../../support/certificates.ts';
import { startConnectProxy } from '../../support/connect-proxy.ts';
import {
  type Answering,
  type KeyPair,
  makeKeyPair,
  startReceiver,
  startTlsReceiver,
} from '../../support/receivers.ts';
import { policyOfThisMachine as policy, post, statusOf } from './sends.ts';

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
