// The sender with scripted DNS and with name servers: no response leads to a connection that the guard rejects, and silence delays no other name.
import { once } from 'node:events';
import { createAddressGuard } from '../../../lib/egress/address-guard.ts';
import { createTrace } from '../../../lib/egress/attempt-trace.ts';
import type { EgressPolicy } from '../../../lib/egress/egress-policy.ts';
import { createHttpSender } from '../../../lib/egress/http-sender.ts';
import type { SendResult, Sender } from '../../../lib/egress/sender.ts';
import { openSocket } from '../../../lib/egress/open-socket.ts';
import { createHostResolver } from '../../../lib/egress/resolve-host.ts';
import { policyOfThisMachine } from './sends.ts';
import { type Receiver, startReceiver, startTcpReceiver } from '../../support/receivers.ts';
import { createNameServerResolver } from '../../../lib/egress/name-servers.ts';
import { type NameAnswer, startNameServer } from '../../support/name-server.ts';
import { hourMs } from '../../../lib/platform/duration.ts';

// 127.0.0.1 plays the public receiver; every other address, 127.0.0.2 too, is as in production.
const policy: EgressPolicy = { ...policyOfThisMachine, allowCidrs: ['127.0.0.1/32'] };

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
  ['a mapped spelling of an allowed one', ['::ffff:127.0.0.1']],
  ['10,000 private addresses', manyPrivate(10_000)],
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

// Longer than the timeout of name servers, so that theirs comes first, even on a slow machine.
function senderOver(address: string, timeoutMs = 20_000): Sender {
  return createHttpSender({
    policy,
    resolver: createNameServerResolver({ servers: () => [address] }),
    timeoutMs,
  });
}

function post(sender: Sender, name: string, port: number): Promise<SendResult> {
  return sender.send({ url: `http://${name}:${port}/`, headers: {}, body: '{}' });
}

function outcomeOf(result: SendResult): string {
  return result.kind === 'failed'
    ? `${result.errorClass}: ${result.detail}`
    : String(result.status);
}

const blocked = 'blocked: the host name has no public address';

const cases: readonly (readonly [string, NameAnswer, string])[] = [
  ['an allowed address', ['127.0.0.1'], '200'],
  ['an alias of localhost', ['localhost', '127.0.0.2', '::1'], blocked],
  ['an allowed IPv4 and a link-local IPv6 address', ['127.0.0.1', 'fe80::1'], '200'],
  ['metadata of a cloud', ['169.254.169.254'], blocked],
  ['24 refused addresses and an allowed one', [...manyPrivate(24), '127.0.0.1'], '200'],
  ['an unknown name', 'unknown', 'dns: the host name was not found'],
  ['no address', [], 'dns: the host name has no address'],
  ['a server failure', 'failure', 'dns: the host name could not be resolved'],
];

test.each(cases)(
  'a name server that returns %s leads to its outcome',
  async (_what, answer, expected) => {
    await using receiver = await startReceiver((response) => response.end(), '0.0.0.0');
    await using names = await startNameServer(() => answer);
    await using sender = senderOver(names.address);
    expect(outcomeOf(await post(sender, 'hooks.example.com', receiver.port))).toBe(expected);
    expect(receiver.sockets).toHaveLength(expected === '200' ? 1 : 0);
    // No search domain is tried: one name, once each for IPv4 and IPv6.
    expect(new Set(names.questions)).toEqual(new Set(['hooks.example.com']));
  },
);

test('names with silent servers do not delay other names, and end in time', async () => {
  await using receiver = await startReceiver((response) => response.end());
  await using names = await startNameServer((name) =>
    name.startsWith('silent') ? 'silence' : ['127.0.0.1'],
  );
  await using sender = senderOver(names.address);
  const ended: string[] = [];
  const send = async (name: string): Promise<void> => {
    ended.push(outcomeOf(await post(sender, name, receiver.port)));
  };
  const silent = Array.from({ length: 40 }, (_none, index) => send(`silent-${index}.example.com`));
  await Promise.all([...silent, send('hooks.example.com')]);
  const unresolved = 'dns: the host name could not be resolved';
  expect(ended).toEqual(['200', ...Array<string>(40).fill(unresolved)]);
});

test('a name server that is silent only about IPv6 leaves the attempt enough time', async () => {
  await using receiver = await startReceiver((response) => response.end());
  await using names = await startNameServer((_name, family) =>
    family === 4 ? ['127.0.0.1'] : 'silence',
  );
  // Both tries of the other query take three seconds.
  await using sender = senderOver(names.address, 2_500);
  expect(outcomeOf(await post(sender, 'hooks.example.com', receiver.port))).toBe('200');
});

test('changed name servers are used after a minute, and lookups in flight end at the previous ones', async () => {
  await using former = await startNameServer((name) =>
    name.startsWith('slow') ? 'silence' : ['11.0.0.1'],
  );
  await using next = await startNameServer(() => ['11.0.0.2']);
  let servers = [former.address];
  let nowMs = 0;
  const clock = { now: () => new Date(nowMs) };
  const resolve = createNameServerResolver({ servers: () => servers, clock });
  expect(await resolve('hooks.example.com')).toEqual(['11.0.0.1']);

  servers = [next.address];
  nowMs = 59_999;
  expect(await resolve('hooks.example.com')).toEqual(['11.0.0.1']);
  const lookup = resolve('slow.example.com');
  nowMs = 60_000;
  expect(await resolve('hooks.example.com')).toEqual(['11.0.0.2']);
  await expect(lookup).rejects.toMatchObject({ code: 'NAME_UNRESOLVED' });

  // A clock that is put back.
  servers = [former.address];
  nowMs = -hourMs;
  expect(await resolve('hooks.example.com')).toEqual(['11.0.0.1']);
});
