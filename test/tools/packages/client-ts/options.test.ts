// Options that would make each call fail, or never end, are rejected when they are set.
import { expect, test } from 'vitest';
import { HeraldAdminClient, HeraldClient } from '../../../../packages/client-ts/src/index.ts';
import { startScript } from './script-server.ts';

async function started() {
  const server = await startScript({ status: 201, body: { uid: 'agt_1' } });
  const client = new HeraldClient({ url: server.url, appUid: 'app_1', apiKey: 'secret' });
  return { ...server, client };
}

test.each([
  ' https://herald.example',
  'https://herald.example\n',
  'https://herald.example/a\u200b',
])('a client with the address %j, which has invisible characters, is rejected', (url) => {
  const message = 'url must be one like https://agents.example.com';
  expect(() => new HeraldClient({ url })).toThrow(new TypeError(message));
});

test.each(['', '/', '//', '/herald', '/herald//'])(
  'an address that ends in %j is followed by one slash',
  async (end) => {
    await using server = await startScript({ body: { status: 'ok', version: '1' } });
    await new HeraldClient({ url: server.url + end }).service.health();
    expect(server.received[0]?.url).toBe(
      end.startsWith('/herald') ? '/herald/healthz' : '/healthz',
    );
  },
);

const timeoutRule = 'timeoutMs must be a whole number from 1 to 2147483647';
const retriesRule = 'retries must be a whole number from 0 on, or Infinity';
const visibleRule = 'characters of ASCII, no spaces or line breaks';
const wrongLimits: [Record<string, unknown>, string][] = [
  ...[0, -1, 0.5, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 31, '30000', true].map(
    (timeoutMs): [Record<string, unknown>, string] => [{ timeoutMs }, timeoutRule],
  ),
  ...[-1, 1.5, Number.NaN, Number.NEGATIVE_INFINITY, '2', true].map(
    (retries): [Record<string, unknown>, string] => [{ retries }, retriesRule],
  ),
];

test.each([
  ...wrongLimits,
  [{ appUid: 'app_1\n' }, `appUid must be 1 to 255 ${visibleRule}`],
  [{ appUid: '..' }, 'appUid must be the uid of something, not ".."'],
  [{ appUid: '' }, `appUid must be 1 to 255 ${visibleRule}`],
  [{ appUid: null }, `appUid must be 1 to 255 ${visibleRule}`],
  [{ appUid: undefined }, 'appUid and apiKey must be given together'],
  [{ apiKey: undefined }, 'appUid and apiKey must be given together'],
  [{ apiKey: null }, `apiKey must be 1 to 255 ${visibleRule}`],
  [{ fetch: 'node-fetch' }, 'fetch must be a function'],
] satisfies [Record<string, unknown>, string][])(
  'a client with %j is rejected',
  (options, message) => {
    const url = 'http://127.0.0.1:1';
    const make = () => new HeraldClient({ url, appUid: 'app_1', apiKey: 'k', ...options });
    expect(make).toThrow(new TypeError(message));
  },
);

test.each([
  ...wrongLimits,
  [{ requestId: 'short' }, 'requestId must be 8 to 64 letters, digits, _ or -'],
  [{ requestId: 'a-request\n' }, 'requestId must be 8 to 64 letters, digits, _ or -'],
  [{ idempotencyKey: 'a key' }, `idempotencyKey must be 1 to 255 ${visibleRule}`],
  [{ idempotencyKey: '' }, `idempotencyKey must be 1 to 255 ${visibleRule}`],
] satisfies [Record<string, unknown>, string][])(
  'a call with %j is rejected',
  async (options, message) => {
    await using server = await started();
    const agent = { agentName: 'Ada', externalTenantId: 't' };
    const call = server.client.agents.create(agent, options);
    await expect(call).rejects.toThrow(new TypeError(message));
    expect(server.received).toEqual([]);
  },
);

test.each(wrongLimits)('a stream with %j is rejected', async (options, message) => {
  await using server = await started();
  const opened = server.client.events.stream({}, options)[Symbol.asyncIterator]().next();
  await expect(opened).rejects.toThrow(new TypeError(message));
  expect(server.received).toEqual([]);
});

test.each([0, Number.POSITIVE_INFINITY])('a client can retry %d times', (retries) => {
  expect(() => new HeraldClient({ url: 'http://127.0.0.1:1', retries })).not.toThrow();
});

test.each(['', 'p 0', 'p0\n', 'x'.repeat(2_001)])(
  'a stream after %j is rejected',
  async (lastEventId) => {
    await using server = await started();
    const opened = server.client.events.stream({}, { lastEventId })[Symbol.asyncIterator]().next();
    await expect(opened).rejects.toThrow('lastEventId must be 1 to 2000 characters');
    expect(server.received).toEqual([]);
  },
);

test('an admin client without a function for its token is rejected', () => {
  const make = (csrfToken: unknown) => () =>
    new HeraldAdminClient({ url: 'http://127.0.0.1:1', csrfToken: csrfToken as () => null });
  expect(make('token')).toThrow(new TypeError('csrfToken must be a function'));
  expect(make(undefined)).toThrow(new TypeError('csrfToken must be a function'));
});
