// Responses that are not from the service, and arguments of a wrong type.
import {
  ConnectionFailedError,
  HeraldClient,
  HeraldProblem,
  RateLimitedError,
  UnexpectedResponseError,
} from '../../../../packages/client-ts/src/index.ts';
import { problem, type Reply, startScript, streamOf } from './script-server.ts';

const key = { appUid: 'app_1', apiKey: 'secret' };

async function scripted(...replies: readonly Reply[]) {
  const server = await startScript(...replies);
  const client = new HeraldClient({ url: server.url, ...key });
  return { ...server, client };
}

async function allOf<Item>(list: AsyncIterable<Item>): Promise<Item[]> {
  const items: Item[] = [];
  for await (const item of list) items.push(item);
  return items;
}

const failureOf = (call: Promise<unknown>) =>
  call.then(
    (result) => Promise.reject(new Error(`it returned ${JSON.stringify(result)}`)),
    (error: unknown) => error,
  );

test.each<[string, Reply]>([
  ['204', { status: 204 }],
  ['half a body', { body: '{"uid":' }],
  ['a page', { body: '<!doctype html>' }],
  ['null', { body: 'null' }],
  ['a list', { body: [] }],
])('%s in place of an object is unexpected, and not tried again', async (_, reply) => {
  await using server = await scripted(reply);
  expect(await failureOf(server.client.agents.get('agt_1'))).toBeInstanceOf(
    UnexpectedResponseError,
  );
  expect(server.received).toHaveLength(1);
});

test.each<[string, Reply]>([
  ['an object without data', { body: {} }],
  ['text as data', { body: { data: 'abc', nextCursor: null } }],
  ['a number as cursor', { body: { data: [], nextCursor: 5 } }],
  ['an empty cursor', { body: { data: [], nextCursor: '' } }],
])('%s in place of a page is unexpected', async (_, reply) => {
  await using server = await scripted(reply);
  expect(await failureOf(allOf(server.client.agents.list()))).toBeInstanceOf(
    UnexpectedResponseError,
  );
  expect(server.received).toHaveLength(1);
});

test('a cursor that does not advance ends the list with an error', async () => {
  await using server = await scripted({ body: { data: [], nextCursor: 'c' } });
  expect(await failureOf(allOf(server.client.agents.list()))).toBeInstanceOf(
    UnexpectedResponseError,
  );
  expect(server.received).toHaveLength(2);
});

test('a media type counts whatever its case and parameters', async () => {
  const headers = { 'content-type': 'Application/JSON; charset=utf-8' };
  await using server = await scripted({ headers, body: { uid: 'agt_1' } });
  expect(await server.client.agents.get('agt_1')).toEqual({ uid: 'agt_1' });
});

test('parts of a problem that have another type are left out', async () => {
  const fault = { pointer: '#/a', code: 'type', detail: 'is not text' };
  const { body, ...reply } = problem(400, 'invalid_request');
  for (const errors of ['x', { pointer: '#/a' }, [null, { pointer: 1 }, fault]]) {
    const wrong = { ...(body as object), errors, requestId: 5 };
    await using server = await scripted({ ...reply, body: wrong });
    const requestId = 'request-1';
    const error = await failureOf(server.client.agents.get('agt_1', { requestId }));
    expect(error).toBeInstanceOf(HeraldProblem);
    expect(error).toMatchObject({ requestId, errors: Array.isArray(errors) ? [fault] : [] });
  }
});

test.each([
  ['soon', null],
  ['1.5', null],
  ['9'.repeat(400), Number.POSITIVE_INFINITY],
  ['Wed, 21 Oct 2015 07:28:00 GMT', 0],
  ['Wed, 99 Oct 99999 07:28:00 GMT', null],
])('with Retry-After %s the error says to wait %d ms', async (value, retryAfterMs) => {
  await using server = await scripted(problem(429, 'rate_limited', { 'retry-after': value }));
  const error = await failureOf(server.client.agents.get('agt_1', { retries: 0 }));
  expect(error).toBeInstanceOf(RateLimitedError);
  expect(error).toMatchObject({ retryAfterMs });
});

const firstOf = async (stream: AsyncIterable<unknown>) => {
  for await (const one of stream) return one;
  return null;
};

test.each(['{', 'null'])('the event %s of a stream is unexpected', async (data) => {
  await using server = await scripted(streamOf(`id: 1\ndata: ${data}\n\n`));
  const error = await failureOf(firstOf(server.client.events.stream()));
  expect(error).toBeInstanceOf(UnexpectedResponseError);
  expect(server.received).toHaveLength(1);
});

test.each(['{', 'null', '{"reason":5}'])(
  'a stream reconnects after a farewell with %s',
  async (data) => {
    const closed = `event: closed\ndata: ${data}\n\n`;
    await using server = await scripted(streamOf(closed), streamOf('id: 1\ndata: {}\n\n'));
    expect(await firstOf(server.client.events.stream())).toEqual({
      id: '1',
      event: {},
      payloadText: null,
    });
  },
);

test.each([
  [
    'throws',
    () => {
      throw new Error('no network');
    },
  ],
  ['returns nothing', () => undefined],
  ['returns something else', () => ({ status: 200 })],
])('a fetch that %s is a failed connection', async (_, fetch) => {
  const url = 'http://127.0.0.1:1';
  const client = new HeraldClient({ url, ...key, retries: 0, fetch: fetch as never });
  expect(await failureOf(client.agents.get('agt_1'))).toBeInstanceOf(ConnectionFailedError);
});

test.each([undefined, '', '.', '..', 5, '\ud800'])(
  'the uid %o is rejected before a call is sent',
  async (uid) => {
    await using server = await scripted({ body: {} });
    const error = await failureOf(server.client.agents.get(uid as string));
    expect(error).toBeInstanceOf(TypeError);
    expect(String(error)).toContain('agentUid must be the uid of something');
    expect(server.received).toEqual([]);
  },
);

test('filters and options that are null count as absent', async () => {
  const page = { body: { data: [], nextCursor: null } };
  await using server = await scripted(page, page, { body: {} }, streamOf('id: 1\ndata: {}\n\n'));
  const { agents, events } = server.client;
  await allOf(agents.list(null as never));
  await allOf(agents.list({ limit: null } as never, { signal: null } as never));
  await agents.get('agt_1', { timeoutMs: null, retries: null } as never);
  await firstOf(events.stream(null as never, null as never));
  const path = '/api/v1/appuid/app_1';
  const urls = [
    `${path}/agents`,
    `${path}/agents`,
    `${path}/agents/agt_1`,
    `${path}/events/stream`,
  ];
  expect(server.received.map(({ url }) => url)).toEqual(urls);
});

test.each([
  ['signal', {}],
  ['onOpen', 5],
  ['onCut', {}],
])('an option %s that is %j is rejected before a stream opens', async (name, value) => {
  await using server = await scripted(streamOf('id: 1\ndata: {}\n\n'));
  const stream = server.client.events.stream({}, { [name]: value });
  await expect(firstOf(stream)).rejects.toThrow(`${name} must be a`);
  expect(server.received).toEqual([]);
});

test.each([undefined, new Error('over'), null])(
  'with a signal that is already aborted, nothing is sent and its reason %s is thrown',
  async (given) => {
    await using server = await scripted({ body: {} });
    const signal = AbortSignal.abort(given);
    const { agents, events } = server.client;
    expect(await failureOf(agents.get('agt_1', { signal }))).toBe(signal.reason);
    expect(await failureOf(agents.list({}, { signal }).page())).toBe(signal.reason);
    expect(await failureOf(firstOf(events.stream({}, { signal })))).toBe(signal.reason);
    expect(server.received).toEqual([]);
  },
);
