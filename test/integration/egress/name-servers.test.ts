// The sender with real name servers: every answer is checked, and silent servers delay no other name.
import { expect, test } from 'vitest';
import type { EgressPolicy } from '../../../lib/egress/egress-policy.ts';
import { createHttpSender, type Sender, type SendResult } from '../../../lib/egress/http-sender.ts';
import { createNameServerResolver } from '../../../lib/egress/name-servers.ts';
import { type NameAnswer, startNameServer } from '../../support/name-server.ts';
import { hourMs } from '../../../lib/platform/duration.ts';
import { startReceiver } from '../../support/receivers.ts';

const policy: EgressPolicy = {
  allowHttp: true,
  ports: 'any',
  allowCidrs: ['127.0.0.1/32'],
  denyCidrs: [],
};

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
  ['an alias of an allowed address', ['other.example.com', '127.0.0.1'], '200'],
  ['an alias of localhost', ['localhost', '127.0.0.2', '::1'], blocked],
  ['an allowed IPv4 and a refused IPv6 address', ['127.0.0.1', '::1'], '200'],
  ['an allowed IPv4 and a link-local IPv6 address', ['127.0.0.1', 'fe80::1'], '200'],
  ['a mapped address', ['::ffff:10.0.0.1'], blocked],
  ['metadata of a cloud', ['169.254.169.254'], blocked],
  ['24 refused addresses and an allowed one', [...many(24), '127.0.0.1'], '200'],
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

test('a name that moves to a denied address between attempts is blocked at the next attempt', async () => {
  await using receiver = await startReceiver((response) => {
    response.writeHead(200, { connection: 'close' }).end();
  }, '0.0.0.0');
  let answer: NameAnswer = ['127.0.0.1'];
  await using names = await startNameServer(() => answer);
  await using sender = senderOver(names.address);
  expect(outcomeOf(await post(sender, 'hooks.example.com', receiver.port))).toBe('200');
  answer = ['127.0.0.2'];
  expect(outcomeOf(await post(sender, 'hooks.example.com', receiver.port))).toBe(blocked);
  expect(receiver.sockets).toHaveLength(1);
});

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

test('without a responding name server no connection is made', async () => {
  await using receiver = await startReceiver((response) => response.end(), '0.0.0.0');
  const names = await startNameServer(() => 'silence');
  await names[Symbol.asyncDispose]();
  await using sender = senderOver(names.address);
  const result = await post(sender, 'hooks.example.com', receiver.port);
  expect(outcomeOf(result)).toBe('dns: the host name could not be resolved');
  expect(receiver.sockets).toHaveLength(0);
});

function many(count: number): string[] {
  return Array.from({ length: count }, (_none, index) => `10.0.0.${index}`);
}
