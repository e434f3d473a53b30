import { inspect } from 'node:util';
import {
  ConnectionFailedError,
  HeraldClient,
  type HeraldClientOptions,
  HeraldError,
  HeraldProblem,
  InvalidRequestError,
  NotFoundError,
  OverloadedError,
  problemClasses,
  TimedOutError,
  UnexpectedResponseError,
} from '../../../../packages/client-ts/src/index.ts';
import { waitMsBefore } from '../../../../packages/client-ts/src/retries.ts';
import { problem, type Reply, startScript } from './script-server.ts';
import { eventually } from '../../../support/eventually.ts';

const agent = { agentName: 'Support', externalTenantId: 'tenant-1' };
const made = { status: 201, body: { uid: 'agt_1' } };
const cut: Reply = { cut: 'before' };
const rejects = (call: Promise<unknown>) =>
  call.then(
    () => Promise.reject(new Error('it should have failed')),
    (error: unknown) => error,
  );

async function scripted(replies: readonly Reply[], options: Partial<HeraldClientOptions> = {}) {
  const server = await startScript(...replies);
  const client = new HeraldClient({
    url: server.url,
    appUid: 'app_1',
    apiKey: 'secret',
    ...options,
  });
  return { ...server, client };
}

test('a call sends the key, a request ID and an idempotency key: its own, or those that are set', async () => {
  await using server = await scripted([made]);
  expect(await server.client.agents.create(agent)).toEqual({ uid: 'agt_1' });
  const own = expect.stringMatching(/^[0-9a-f-]{36}$/);
  expect(server.received).toMatchObject([
    {
      method: 'POST',
      url: '/api/v1/appuid/app_1/agents',
      headers: { authorization: 'Bearer secret', 'x-request-id': own, 'idempotency-key': own },
      body: JSON.stringify(agent),
    },
  ]);
  await server.client.agents.create(agent, { idempotencyKey: 'mine', requestId: 'request-1' });
  const set = { 'idempotency-key': 'mine', 'x-request-id': 'request-1' };
  expect(server.received[1]?.headers).toMatchObject(set);
});

test('uids and filters are escaped', async () => {
  await using server = await scripted([{ body: { data: [], nextCursor: null } }]);
  await server.client.webhooks
    .deliveries('a/b?c', { state: 'held', externalTenantId: 'a&b' })
    .page();
  expect(server.received[0]?.url).toBe(
    '/api/v1/appuid/app_1/webhooks/a%2Fb%3Fc/deliveries?state=held&externalTenantId=a%26b',
  );
});

test.each<[string, Reply[], number]>([
  ['503 with Retry-After', [problem(503, 'unavailable', { 'retry-after': '0' }), made], 2],
  ['overload', [problem(503, 'overloaded'), made], 2],
  ['a cut connection', [cut, made], 2],
  ['a cut connection, then the first attempt in flight', [cut, problem(409, 'conflict'), made], 3],
  [
    '502 of a proxy',
    [{ status: 502, headers: { 'content-type': 'text/html' }, body: '' }, made],
    2,
  ],
])('a creation is repeated with the same keys after %s', async (_, replies, count) => {
  await using server = await scripted(replies);
  expect(await server.client.agents.create(agent)).toEqual({ uid: 'agt_1' });
  expect(server.received).toHaveLength(count);
  for (const header of ['idempotency-key', 'x-request-id'])
    expect(new Set(server.received.map(({ headers }) => headers[header])).size).toBe(1);
});

test('a retry is not sent before the time in Retry-After', async () => {
  await using server = await scripted([problem(429, 'rate_limited', { 'retry-after': '1' }), made]);
  const startedAt = performance.now();
  await server.client.webhooks.test('whk_1');
  expect(performance.now() - startedAt).toBeGreaterThanOrEqual(999);
});

test.each<[string, Reply[], number]>([
  ['a refused request', [problem(400, 'invalid_request')], 1],
  ['a fault of the service', [problem(500, 'internal')], 1],
  ['a conflict of the first attempt', [problem(409, 'conflict')], 1],
  ['two retries', [problem(503, 'unavailable')], 3],
  ['a wait longer than the time left', [problem(429, 'rate_limited', { 'retry-after': '60' })], 1],
])('a creation is not repeated after %s', async (_, replies, count) => {
  await using server = await scripted(replies);
  expect(await rejects(server.client.agents.create(agent))).toBeInstanceOf(HeraldProblem);
  expect(server.received).toHaveLength(count);
});

test('a change without an idempotency key is repeated only if the service has not begun', async () => {
  await using cutting = await scripted([cut]);
  const change = { agentName: 'New' };
  expect(await rejects(cutting.client.agents.change('agt_1', change))).toBeInstanceOf(
    ConnectionFailedError,
  );
  expect(cutting.received).toHaveLength(1);
  await using busy = await scripted([problem(503, 'overloaded'), { body: { uid: 'agt_1' } }]);
  expect(await busy.client.agents.change('agt_1', change)).toEqual({ uid: 'agt_1' });
});

test('a deletion that finds nothing succeeds if an earlier attempt may have been carried out', async () => {
  await using server = await scripted([cut, problem(404, 'not_found')]);
  expect(await server.client.agents.delete('agt_1')).toBeUndefined();
  for (const before of [[], [problem(429, 'rate_limited')], [problem(503, 'overloaded')]]) {
    await using refused = await scripted([...before, problem(404, 'not_found')]);
    expect(await rejects(refused.client.agents.delete('agt_1'))).toBeInstanceOf(NotFoundError);
  }
});

test('retries can be turned off, for all calls or one', async () => {
  await using server = await scripted([problem(503, 'overloaded')], { retries: 0 });
  expect(await rejects(server.client.agents.get('agt_1'))).toBeInstanceOf(OverloadedError);
  expect(server.received).toHaveLength(1);
  await rejects(server.client.agents.get('agt_1', { retries: 1 }));
  expect(server.received).toHaveLength(3);
});

test('waits double, with jitter of a half, up to a maximum', () => {
  const error = new HeraldError({ code: 'x', detail: 'x', requestId: 'x' });
  const waits = [1, 2, 3, 4, 5, 6, 7].map((retry) => waitMsBefore(retry, error, () => 0));
  expect(waits).toEqual([125, 250, 500, 1_000, 2_000, 4_000, 4_000]);
  expect(waitMsBefore(1, error, () => 1)).toBe(250);
});

test('each code has a class, with the ID of the request', async () => {
  const faults = [{ pointer: '#/agentName', code: 'required', detail: 'is missing' }];
  const { body, ...refused } = problem(400, 'invalid_request');
  await using server = await scripted([
    { ...refused, body: { ...(body as object), errors: faults } },
  ]);
  const error = await rejects(server.client.agents.create(agent));
  expect(error).toBeInstanceOf(InvalidRequestError);
  expect(error).toMatchObject({
    name: 'InvalidRequestError',
    message: 'It is invalid_request (invalid_request, request req_of_service)',
    code: 'invalid_request',
    status: 400,
    requestId: 'req_of_service',
    errors: faults,
  });
  for (const [code, Problem] of Object.entries(problemClasses)) {
    await using one = await scripted([problem(418, code)], { retries: 0 });
    expect(await rejects(one.client.agents.get('agt_1'))).toBeInstanceOf(Problem);
  }
});

test('a code of a newer service is a HeraldProblem', async () => {
  await using server = await scripted([problem(409, 'constructor')]);
  const error = await rejects(server.client.agents.get('agt_1'));
  expect(error).toMatchObject({ name: 'HeraldProblem', code: 'constructor' });
});

test.each([404, 200, 301])(
  'a response %i in HTML does not count as one of the service',
  async (status) => {
    const headers = { 'content-type': 'text/html', location: '/elsewhere' };
    await using server = await scripted([{ status, headers, body: '<p>' }]);
    const error = await rejects(server.client.agents.get('agt_1'));
    expect(error).toBeInstanceOf(UnexpectedResponseError);
    expect(error).toMatchObject({ status, requestId: server.received[0]?.headers['x-request-id'] });
  },
);

test('a call that takes too long has its own error class, even while it waits', async () => {
  const hanging = new HeraldClient({
    url: 'http://127.0.0.1',
    appUid: 'app_1',
    apiKey: 'secret',
    fetch: (_, init) =>
      new Promise((_resolve, reject) => {
        init?.signal?.addEventListener('abort', () => reject(init.signal?.reason as Error));
      }),
  });
  const error = await rejects(hanging.agents.get('agt_1', { timeoutMs: 30 }));
  expect(error).toBeInstanceOf(TimedOutError);
  expect(String(error)).toContain('the call took longer than 30 ms');
});

test("an aborted call throws the signal's reason, even while it waits for a retry", async () => {
  await using server = await scripted([problem(429, 'rate_limited', { 'retry-after': '20' })]);
  const abort = new AbortController();
  const call = rejects(server.client.agents.get('agt_1', { signal: abort.signal }));
  const reason = new Error('not needed any more');
  await eventually(async () => expect(server.received.length).toBe(1));
  abort.abort(reason);
  expect(await call).toBe(reason);
});

test('a list iterates over its pages, and requests the next one when it is needed', async () => {
  const page = (uid: string, nextCursor: string | null): Reply => ({
    body: { data: [{ uid }], nextCursor },
  });
  await using server = await scripted([page('a', 'next'), page('b', null)]);
  const agents = server.client.agents.list({ limit: 1 });
  const uids: string[] = [];
  for await (const { uid } of agents) {
    uids.push(uid);
    expect(server.received).toHaveLength(uids.length);
  }
  expect(uids).toEqual(['a', 'b']);
  expect(server.received.map(({ url }) => url.split('?')[1])).toEqual([
    'limit=1',
    'limit=1&cursor=next',
  ]);
});

const shown = (value: unknown) => inspect(value, { depth: 20, showHidden: true });

test('the key is never shown', async () => {
  await using server = await scripted([cut], { retries: 0 });
  const error = await rejects(server.client.agents.get('agt_1'));
  expect(shown(server.client) + JSON.stringify(server.client)).not.toContain('secret');
  expect(shown(error)).not.toContain('secret');
});

test.each(['secret\npart', 'secret part', 'secret\u00e9', `secret${'x'.repeat(250)}`, ''])(
  'a client with the key %j is rejected, and the key is not shown',
  async (apiKey) => {
    const make = async () => new HeraldClient({ url: 'http://127.0.0.1', appUid: 'app_1', apiKey });
    const error = await rejects(make());
    expect(error).toBeInstanceOf(TypeError);
    expect(String(error)).toContain('apiKey must be 1 to 255 characters');
    expect(shown(error)).not.toContain('secret');
  },
);

test.each([
  ['', 'url must be one like'],
  ['localhost:3000', 'url must be one like'],
  ['ftp://herald.example', 'url must be one like'],
  ['http://user:password@', 'url must be one like'],
  [' https://herald.example', 'url must be one like'],
  ['https://herald.example/a\u200b', 'url must be one like'],
  ['http://user:password@herald.example', 'url must have no user'],
  ['http://:password@herald.example', 'url must have no user'],
  ['https://herald.example?password=1', 'url must have no user, query'],
  ['https://herald.example/#', 'url must have no user, query or fragment'],
])('a client with the address %j is rejected, and no password is shown', async (url, said) => {
  const error = await rejects((async () => new HeraldClient({ url }))());
  expect(error).toBeInstanceOf(TypeError);
  expect(String(error)).toContain(said);
  expect(shown(error)).not.toContain('password');
});

test('a client without a key can make only the calls that are open to all', async () => {
  await using server = await startScript({ body: { status: 'ok', version: '1' } });
  const client = new HeraldClient({ url: `${server.url}/` });
  expect(await client.service.health()).toEqual({ status: 'ok', version: '1' });
  expect(server.received[0]?.headers).not.toHaveProperty('authorization');
  await expect(client.webhooks.create({ url: 'x' })).rejects.toThrow(
    'createWebhook needs a client with appUid and apiKey',
  );
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
type Wrong = [Record<string, unknown>, string];

test.each<Wrong>([
  ...[0, 0.5, Number.POSITIVE_INFINITY, 2 ** 31, '30000'].map((timeoutMs): Wrong => [
    { timeoutMs },
    timeoutRule,
  ]),
  ...[-1, 1.5, Number.NaN, '2'].map((retries): Wrong => [{ retries }, retriesRule]),
  [{ appUid: 'app_1\n' }, `appUid must be 1 to 255 ${visibleRule}`],
  [{ appUid: '..' }, 'appUid must be the uid of something, not ".."'],
  [{ appUid: '' }, `appUid must be 1 to 255 ${visibleRule}`],
  [{ appUid: undefined }, 'appUid and apiKey must be given together'],
  [{ apiKey: undefined }, 'appUid and apiKey must be given together'],
  [{ fetch: 'node-fetch' }, 'fetch must be a function'],
])('a client with %j is rejected', (options, message) => {
  const url = 'http://127.0.0.1:1';
  const make = () => new HeraldClient({ url, appUid: 'app_1', apiKey: 'k', ...options });
  expect(make).toThrow(new TypeError(message));
});

const wrongOfCalls: Wrong[] = [
  [{ timeoutMs: 0 }, timeoutRule],
  [{ retries: -1 }, retriesRule],
];

test.each<Wrong>([
  ...wrongOfCalls,
  [{ requestId: 'short' }, 'requestId must be 8 to 64 letters, digits, _ or -'],
  [{ requestId: 'a-request\n' }, 'requestId must be 8 to 64 letters, digits, _ or -'],
  [{ idempotencyKey: 'a key' }, `idempotencyKey must be 1 to 255 ${visibleRule}`],
  [{ idempotencyKey: '' }, `idempotencyKey must be 1 to 255 ${visibleRule}`],
])('a call with %j is rejected', async (options, message) => {
  await using server = await scripted([made]);
  const call = server.client.agents.create(agent, options);
  await expect(call).rejects.toThrow(new TypeError(message));
  expect(server.received).toEqual([]);
});

test.each<Wrong>([
  ...wrongOfCalls,
  ...['', 'p 0', 'x'.repeat(2_001)].map((lastEventId): Wrong => {
    return [{ lastEventId }, 'lastEventId must be 1 to 2000 characters'];
  }),
])('a stream with %j is rejected', async (options, message) => {
  await using server = await scripted([made]);
  const opened = server.client.events.stream({}, options)[Symbol.asyncIterator]().next();
  await expect(opened).rejects.toThrow(message);
  expect(server.received).toEqual([]);
});

test.each([0, Number.POSITIVE_INFINITY])('a client can retry %d times', (retries) => {
  expect(() => new HeraldClient({ url: 'http://127.0.0.1:1', retries })).not.toThrow();
});
