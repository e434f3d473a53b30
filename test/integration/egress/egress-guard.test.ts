// The sender with scripted DNS: no response of a resolver leads to a connection that the guard rejects.
import { once } from 'node:events';
import { expect, test } from 'vitest';
import { createAddressGuard } from '../../../lib/egress/address-guard.ts';
import { createTrace } from '../../../lib/egress/attempt-trace.ts';
import type { EgressPolicy } from '../../../lib/egress/egress-policy.ts';
import { createHttpSender, type SendResult } from '../../../lib/egress/http-sender.ts';
import { openSocket } from '../../../lib/egress/open-socket.ts';
import { createHostResolver } from '../../../lib/egress/resolve-host.ts';
import { type Receiver, startReceiver, startTcpReceiver } from '../../support/receivers.ts';
import { waitFor } from '../../support/wait-for.ts';

// 127.0.0.1 plays the public receiver; every other address, 127.0.0.2 too, is as in production.
const policy: EgressPolicy = {
  allowHttp: true,
  ports: 'any',
  allowCidrs: ['127.0.0.1/32'],
  denyCidrs: [],
};

type DnsAnswer = readonly string[] | Error | 'never';

interface ScriptedDns {
  readonly resolver: (hostname: string) => Promise<readonly string[]>;
  readonly questions: readonly string[];
}

/** A resolver that returns the answers one after another, and then repeats the last one. */
function scriptDns(...answers: readonly DnsAnswer[]): ScriptedDns {
  const questions: string[] = [];
  return {
    questions,
    async resolver(hostname) {
      const answer = answers[Math.min(questions.length, answers.length - 1)] ?? [];
      questions.push(hostname);
      if (answer === 'never') return new Promise(() => undefined);
      if (answer instanceof Error) throw answer;
      return answer;
    },
  };
}

/** Only tests with silence reach a deadline, and they have their own. */
const timeoutMs = 10_000;

function startEverywhere(): Promise<Receiver> {
  return startReceiver((response) => response.end(), '0.0.0.0');
}

/** Sends a request for each deadline, one after another. */
async function sendOver(
  dns: ScriptedDns,
  receiver: Receiver,
  timeoutsMs = [timeoutMs],
): Promise<SendResult[]> {
  await using sender = createHttpSender({ policy, resolver: dns.resolver });
  const results: SendResult[] = [];
  for (const each of timeoutsMs) {
    const url = `http://receiver.example.com:${receiver.port}/`;
    results.push(await sender.send({ url, headers: {}, body: '{}', timeoutMs: each }));
    for (const socket of receiver.sockets) socket.destroy();
  }
  return results;
}

const refusedAnswers: readonly (readonly [string, readonly string[]])[] = [
  ['a loopback address', ['127.0.0.2']],
  ['a private address', ['10.0.0.1']],
  ['many private addresses', ['10.0.0.1', 'fe80::1', '127.0.0.2']],
  ['a mapped private address', ['::ffff:10.0.0.1']],
  ['a mapped spelling of an allowed one', ['::ffff:127.0.0.1']],
  ['10,000 private addresses', manyPrivate(10_000)],
  ['something that is not an address', ['localhost']],
];

test.each(refusedAnswers)(
  'DNS that returns %s is blocked without a connection, until it returns a different address',
  async (_what, answer) => {
    await using receiver = await startEverywhere();
    const dns = scriptDns(answer, ['127.0.0.1']);
    const [result] = await sendOver(dns, receiver);
    expect(result).toMatchObject({
      kind: 'failed',
      errorClass: 'blocked',
      detail: 'the host name has no public address',
      isFinal: false,
      // Only for the operator's log, because the tenant must not see it.
      cause: expect.stringMatching(/^\S+: .+/),
      address: null,
    });
    expect(receiver.sockets).toHaveLength(0);
    expect(dns.questions).toEqual(['receiver.example.com']);
  },
);

const failingAnswers: readonly (readonly [string, DnsAnswer, string])[] = [
  ['nothing', [], 'dns'],
  ['an error', Object.assign(new Error('x'), { code: 'ENOTFOUND' }), 'dns'],
  ['a server failure', Object.assign(new Error('x'), { code: 'EAI_AGAIN' }), 'dns'],
  ['an error without a code', new Error('x'), 'dns'],
  ['silence', 'never', 'timeout'],
];

test.each(failingAnswers)('DNS that returns %s fails closed', async (_what, answer, kind) => {
  await using receiver = await startEverywhere();
  const [first, second] = await sendOver(scriptDns(answer, ['127.0.0.1']), receiver, [
    kind === 'timeout' ? 300 : timeoutMs,
    timeoutMs,
  ]);
  expect(first).toMatchObject({ kind: 'failed', errorClass: kind });
  // The next attempt resolves again: neither a failure nor a silence is cached.
  expect(second).toMatchObject({ kind: 'responded', status: 200 });
});

test('a DNS error is classified as dns, and a private address in the next answer as blocked', async () => {
  await using receiver = await startEverywhere();
  const dns = scriptDns(new Error('SERVFAIL'), ['169.254.169.254']);
  const results = await sendOver(dns, receiver, [timeoutMs, timeoutMs]);
  expect(results).toMatchObject([{ errorClass: 'dns' }, { errorClass: 'blocked' }]);
  expect(receiver.sockets).toHaveLength(0);
});

test('each connection makes one lookup, so a later answer changes nothing', async () => {
  await using receiver = await startEverywhere();
  const dns = scriptDns(['127.0.0.1'], ['127.0.0.2']);
  const results = await sendOver(dns, receiver, [timeoutMs, timeoutMs]);
  expect(results).toMatchObject([
    { kind: 'responded', status: 200, address: '127.0.0.1' },
    { kind: 'failed', errorClass: 'blocked' },
  ]);
  expect(results[0]?.ms.dns).toEqual(expect.any(Number));
  expect(dns.questions).toHaveLength(2);
  expect(receiver.sockets).toHaveLength(1);
});

test('concurrent sends to one name share a lookup', async () => {
  await using receiver = await startEverywhere();
  const dns = scriptDns(['127.0.0.1']);
  await using sender = createHttpSender({ policy, resolver: dns.resolver });
  const url = `http://receiver.example.com:${receiver.port}/`;
  const sends = Array.from({ length: 10 }, () => sender.send({ url, headers: {}, body: '' }));
  const results = await Promise.all(sends);
  expect(results.every(({ kind }) => kind === 'responded')).toBe(true);
  expect(dns.questions).toHaveLength(1);
});

test.each([
  ['a link-local and a public address', ['fe80::1', '127.0.0.1']],
  ['a public and a link-local address', ['127.0.0.1', 'fe80::1']],
  [
    'a public address among private ones',
    ['10.0.0.1', '127.0.0.2', '127.0.0.1', '::ffff:10.0.0.1'],
  ],
  ['a public address after 10,000 private ones', [...manyPrivate(10_000), '127.0.0.1']],
])('of %s only the public one is dialled', async (_what, answer) => {
  await using receiver = await startEverywhere();
  const dns = scriptDns(answer);
  const results = await sendOver(dns, receiver, [timeoutMs, timeoutMs, timeoutMs]);
  for (const result of results) {
    expect(result).toMatchObject({ kind: 'responded', status: 200, address: '127.0.0.1' });
  }
  expect(receiver.sockets).toHaveLength(3);
});

test.each([
  ['three, two of them down', ['127.0.0.2', '127.0.0.3', '127.0.0.1']],
  ['both families', ['::1', '127.0.0.2', '127.0.0.3', '127.0.0.1']],
])('of %s the one that connects is used at the first attempt', async (_what, addresses) => {
  await using receiver = await startReceiver((response) => response.end());
  const open: EgressPolicy = { ...policy, allowCidrs: ['127.0.0.0/8', '::1/128'] };
  await using sender = createHttpSender({ policy: open, resolver: async () => addresses });
  const url = `http://receiver.example.com:${receiver.port}/`;
  const result = await sender.send({ url, headers: {}, body: '' });
  expect(result).toMatchObject({ kind: 'responded', address: '127.0.0.1' });
});

test('if there are more addresses than an attempt dials, none is always left out', async () => {
  await using receiver = await startReceiver((response) => response.end());
  const open: EgressPolicy = { ...policy, allowCidrs: ['127.0.0.0/8'] };
  const addresses = Array.from({ length: 20 }, (_none, n) => `127.0.0.${20 - n}`);
  await using sender = createHttpSender({ policy: open, resolver: async () => addresses });
  const url = `http://receiver.example.com:${receiver.port}/`;
  const send = () => sender.send({ url, headers: {}, body: '' });
  await waitFor(async () => (await send()).kind === 'responded');
});

test('a second address is tried when the first does not connect', async () => {
  await using receiver = await startReceiver((response) => response.end());
  const open: EgressPolicy = { ...policy, allowCidrs: ['127.0.0.0/8'] };
  const { resolver } = scriptDns(['127.0.0.2', '127.0.0.1']);
  await using sender = createHttpSender({ policy: open, resolver });
  const url = `http://receiver.example.com:${receiver.port}/`;
  const result = await sender.send({ url, headers: {}, body: '' });
  expect(result).toMatchObject({ kind: 'responded', address: '127.0.0.1' });
});

test.each(['127.0.0.2', '[::1]', '[::ffff:127.0.0.1]', '0.0.0.0', 'localhost.'])(
  'the host %s in a url is checked against the allowed ranges without DNS',
  async (host) => {
    await using receiver = await startEverywhere();
    const dns = scriptDns(['127.0.0.1']);
    await using sender = createHttpSender({ policy, resolver: dns.resolver });
    const url = `http://${host}:${receiver.port}/`;
    const result = await sender.send({ url, headers: {}, body: '', timeoutMs });
    // Here localhost means 127.0.0.1, because the policy allows that loopback address.
    const expected = host === 'localhost.' ? 'responded' : 'failed';
    expect(result.kind).toBe(expected);
    expect(receiver.sockets).toHaveLength(expected === 'responded' ? 1 : 0);
    expect(dns.questions).toHaveLength(0);
  },
);

test('a URL that the policy no longer allows is blocked permanently at the attempt, with the reason', async () => {
  await using sender = createHttpSender({ policy: { ...policy, allowHttp: false } });
  const result = await sender.send({ url: 'http://127.0.0.1/', headers: {}, body: '' });
  expect(result).toMatchObject({
    errorClass: 'blocked',
    detail: 'url must be https (got http)',
    isFinal: true,
    ms: { total: expect.any(Number) },
  });
});

test('a peer that the guard rejects after connecting is dropped before a byte is sent', async () => {
  let bytesReceived = 0;
  await using receiver = await startTcpReceiver((socket) => {
    socket.on('data', (chunk) => {
      bytesReceived += chunk.length;
    });
  });
  // The first check passes, as if the connection led to another address than the resolver returned.
  let verdicts = 0;
  const guard = {
    verdict: () => {
      verdicts += 1;
      return verdicts === 1
        ? ({ allowed: true } as const)
        : ({ allowed: false, reason: 'x' } as const);
    },
  };
  const opener = {
    guard,
    hosts: createHostResolver(guard, async () => ['127.0.0.1']),
    proxy: null,
    ca: undefined,
    clientCertificate: null,
  };
  const url = new URL(`https://receiver.example.com:${receiver.port}/`);
  const options = { signal: new AbortController().signal, trace: createTrace() };
  await expect(openSocket(url, opener, options)).rejects.toMatchObject({ code: 'ADDRESS_BLOCKED' });
  const [socket] = receiver.sockets;
  if (socket !== undefined && !socket.destroyed) await once(socket, 'close');
  expect(bytesReceived).toBe(0);
});

test.each([[['8.8.4.4']], [['8.8.4.4', '2600::5']], [['2600::5']]])(
  "DNS that returns %j, which includes the host's own public address, is blocked without a connection",
  async (answer) => {
    const guard = createAddressGuard(policy, () => ['8.8.4.4', '2600::5']);
    const hosts = createHostResolver(guard, async () => answer);
    const trace = createTrace();
    const opened = openSocket(
      new URL('https://receiver.example.com/'),
      { guard, hosts, proxy: null, ca: undefined, clientCertificate: null },
      { signal: new AbortController().signal, trace },
    );
    const refusal = {
      code: 'ADDRESSES_REFUSED',
      message: `${answer[0]}: an address of this host`,
    };
    await expect(opened).rejects.toMatchObject(refusal);
    expect(trace).toMatchObject({ phase: 'dns', address: null });
  },
);

function manyPrivate(count: number): string[] {
  return Array.from({ length: count }, (_none, index) => `10.${index >> 8}.${index & 255}.1`);
}
