// Each wrong answer of an integrator's back end has its reason, and never causes a flood of calls.
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createTokenSource, type TokenSource } from '../../../../packages/embed/src/index.ts';
import { respond, settle, startSource, tokenOf } from './scripted-source.ts';

const sources: TokenSource[] = [];
const start = (...results: readonly unknown[]) => {
  const source = startSource(...results);
  sources.push(source);
  return source;
};

beforeEach(() => void vi.useFakeTimers());

afterEach(() => {
  for (const source of sources.splice(0)) source.close();
  vi.useRealTimers();
});

const failureOf = (source: TokenSource): Promise<Error> =>
  settle(source.getToken()).then(
    (token) => expect.fail(`it got ${token}`),
    (error: unknown) => error as Error,
  );

const good = tokenOf({ iat: 1, exp: 901 });
const page = '<!doctype html><title>Sign in</title>';
const nowSeconds = 1_800_000_000;
const fortyDays = 40 * 86_400;

const notTokens: readonly [string, unknown][] = [
  ['undefined', undefined],
  ['null', null],
  ['a number', 5],
  ['an object', {}],
  ['a list', []],
  ['a parsed body', { authToken: good }],
  ['an empty text', ''],
  ['a page as text', page],
  ['a token with a line break', `${good}\n`],
  ['a token in quotes', JSON.stringify(good)],
  ['a token without a signature', good.slice(0, -1)],
  ['a token of five parts', `${good}.x.x`],
  ['a token whose claims are not JSON', tokenOf('claims')],
  ['a token whose claims are null', tokenOf(null)],
  ['a token whose claims are a list', tokenOf([1, 2])],
  ['a token without exp', tokenOf({ iat: 1 })],
  ['a token without iat', tokenOf({ exp: 2 })],
  ['a token with exp as text', tokenOf({ iat: 1, exp: '2' })],
  ['a token with iat null', tokenOf({ iat: null, exp: 2 })],
  ['a token that ends before it begins', tokenOf({ iat: 2, exp: 1 })],
  ['a token that ends when it begins', tokenOf({ iat: 2, exp: 2 })],
  ['a token with exp in milliseconds', tokenOf({ iat: nowSeconds, exp: nowSeconds * 1_000 })],
  [
    'a token with both in milliseconds',
    tokenOf({ iat: nowSeconds * 1_000, exp: nowSeconds * 1_000 + 900_000 }),
  ],
  ['a token that never ends', tokenOf('{"iat":1,"exp":1e999}')],
  ['a token that always was', tokenOf('{"iat":-1e999,"exp":2}')],
];

test.each(notTokens)('%s in place of a token is invalid, after one call', async (_, result) => {
  const source = start(result);
  await expect(settle(source.getToken())).rejects.toMatchObject({ reason: 'invalid' });
  expect(source.callCount()).toBe(1);
});

test.each(notTokens)('%s as authToken is invalid, after one call', async (_, authToken) => {
  const response = respond(200, { authToken });
  const source = start(response);
  const error = await failureOf(source);
  expect(error).toMatchObject({ name: 'TokenError', reason: 'invalid' });
  expect(error.cause).toBe(response);
  expect(source.callCount()).toBe(1);
});

test.each<[string, () => Response]>([
  ['a page', () => new Response(page, { headers: { 'content-type': 'text/html' } })],
  ['no body', () => new Response(null, { status: 204 })],
  ['an empty body', () => new Response('')],
  ['half a body', () => new Response('{"authToken":"')],
  ['null', () => respond(200)],
  ['a number', () => respond(200, 5)],
  ['the token as JSON', () => respond(200, good)],
])('a successful response with %s is invalid, after one call', async (_, makeResponse) => {
  const response = makeResponse();
  const source = start(response);
  const error = await failureOf(source);
  expect(error).toMatchObject({ name: 'TokenError', reason: 'invalid' });
  expect(error.cause).toBe(response);
  expect(source.callCount()).toBe(1);
});

test('a response whose body is already read is invalid, after one call', async () => {
  const response = respond(200, { authToken: good });
  await response.text();
  const source = start(response);
  await expect(settle(source.getToken())).rejects.toMatchObject({ reason: 'invalid' });
  expect(source.callCount()).toBe(1);
});

test('a response whose body breaks off is unavailable, and tried again', async () => {
  const cut = () =>
    new Response(
      new ReadableStream({ start: (stream) => stream.error(new TypeError('terminated')) }),
    );
  const source = start(cut(), cut(), good);
  expect(await settle(source.getToken())).toBe(good);
  expect(source.callCount()).toBe(3);
});

test.each([
  ['a page', 500, page],
  ['nothing', 503, null],
  ['a token', 404, JSON.stringify({ authToken: good })],
  ['nothing', 304, null],
])('%s with status %i is unavailable', async (_what, status, body) => {
  const down = () => new Response(body, { status });
  const source = start(down(), down(), down(), down());
  await expect(settle(source.getToken())).rejects.toMatchObject({ reason: 'unavailable' });
  expect(source.callCount()).toBe(4);
});

test('a response of another realm counts like one of this', async () => {
  const response = respond(200, { authToken: good });
  const foreign = Object.assign(Object.create(null) as object, {
    ok: true,
    status: 200,
    json: () => response.json(),
  });
  expect(await start(foreign).getToken()).toBe(good);
});

test.each([
  ['in ten years', { iat: nowSeconds + 315_360_000, exp: nowSeconds + 315_360_900 }],
  ['of the year 1970', { iat: 0, exp: 900 }],
  ['with parts of seconds', { iat: nowSeconds + 0.25, exp: nowSeconds + 0.75 }],
  ['of forty days', { iat: nowSeconds, exp: nowSeconds + fortyDays }],
  ['of two thousand years', { iat: nowSeconds, exp: nowSeconds + 6e10 }],
])('a token %s is valid: the clock of the browser does not count', async (_, claims) => {
  expect(await start(tokenOf(claims)).getToken()).toBe(tokenOf(claims));
});

test.each([0.001, 0.5, 1, 5, 10, 60, 900, fortyDays, 315_360_000, 6e10])(
  'a token of %d s is renewed at most six times a minute',
  async (seconds) => {
    const token = tokenOf({ iat: nowSeconds, exp: nowSeconds + seconds });
    const source = start(...Array.from({ length: 5_000 }, () => token));
    await source.getToken();
    await vi.advanceTimersByTimeAsync(600_000);
    expect(source.callCount()).toBeLessThanOrEqual(61);
  },
);

test('a token of forty days is renewed within 25', async () => {
  const token = tokenOf({ iat: nowSeconds, exp: nowSeconds + fortyDays });
  const source = start(token, token);
  await source.getToken();
  await vi.advanceTimersByTimeAsync(24 * 86_400_000);
  expect(source.callCount()).toBe(1);
  await vi.advanceTimersByTimeAsync(86_400_000);
  expect(source.callCount()).toBe(2);
});

test.each<[string, () => unknown]>([
  ['is invalid', () => undefined],
  ['is refused', () => respond(403)],
  ['is unavailable', () => respond(503)],
  ['asks to wait for an hour', () => respond(429, null, { 'retry-after': '3600' })],
  ['fails', () => new TypeError('fetch failed')],
  ['is a token of a millisecond', () => tokenOf({ iat: 1, exp: 1.001 })],
])(
  'a page that asks each millisecond calls at most twice a second if each call %s',
  async (...row) => {
    const [, makeResult] = row;
    const source = start(...Array.from({ length: 5_000 }, makeResult));
    for (let ms = 0; ms < 20_000; ms += 1) {
      void source.getToken().then(source.report, () => undefined);
      await vi.advanceTimersByTimeAsync(1);
    }
    expect(source.callCount()).toBeLessThanOrEqual(41);
  },
);

test.each([undefined, null, {}, { fetchToken: null }, { fetchToken: '/agent-token' }])(
  'a source with %j in place of its options is rejected',
  (options) => {
    const make = () => createTokenSource(options as never);
    expect(make).toThrow(TypeError);
  },
);

test('a source that renews for a day leaves no listeners behind', async () => {
  const add = vi.spyOn(EventTarget.prototype, 'addEventListener');
  const remove = vi.spyOn(EventTarget.prototype, 'removeEventListener');
  try {
    const source = start(...Array.from({ length: 50 }, () => respond(503)));
    for (let round = 0; round < 10; round += 1)
      await settle(source.getToken()).catch(() => undefined);
    const ofSignals = (calls: readonly unknown[], targets: readonly unknown[]) =>
      calls.filter((_, at) => targets[at] instanceof AbortSignal).length;
    const added = ofSignals(add.mock.calls, add.mock.contexts);
    const removed = ofSignals(remove.mock.calls, remove.mock.contexts);
    // Each call has a signal of its own, whose listener goes with it.
    expect(added - removed).toBe(source.callCount());
  } finally {
    add.mockRestore();
    remove.mockRestore();
  }
});
