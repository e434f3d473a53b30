// The token of an embedded session in the browser, with a clock under control: when it is renewed, and why a wrong answer
// of an integrator's back end never causes a flood of calls.
import { createTokenSource, type TokenSource } from '../../../../packages/embed/src/index.ts';

const lifetimeMs = 600_000;

/** Returns a token with these claims, or with a text in their place. */
function tokenOf(claims: unknown): string {
  const encode = (part: unknown): string =>
    Buffer.from(typeof part === 'string' ? part : JSON.stringify(part)).toString('base64url');
  return `${encode({ alg: 'none' })}.${encode(claims)}.x`;
}

/** Returns a token that lives for ten minutes, by a clock that is wrong by years. */
const newToken = (n = 0): string => tokenOf({ iat: 1_000, exp: 1_000 + lifetimeMs / 1_000, n });

const respond = (status: number, body: unknown = null, headers = {}): Response =>
  new Response(JSON.stringify(body), { status, headers });

const sources: TokenSource[] = [];

/** Starts a source whose calls get these results in turn, then new tokens. */
function start(...results: readonly unknown[]) {
  let callCount = 0;
  const source = createTokenSource({
    fetchToken: async () => {
      callCount += 1;
      if (callCount > results.length) return newToken(callCount);
      const result = results[callCount - 1];
      if (result instanceof Error) throw result;
      return result as Response;
    },
  });
  sources.push(source);
  return { ...source, callCount: () => callCount };
}

/** Lets time pass until the call has a result. */
async function settle<T>(call: Promise<T>, ms = 60_000): Promise<T> {
  call.catch(() => undefined);
  await jest.advanceTimersByTimeAsync(ms);
  return call;
}

beforeEach(() => void jest.useFakeTimers());

afterEach(() => {
  for (const source of sources.splice(0)) source.close();
  jest.useRealTimers();
  jest.restoreAllMocks();
});

/** Returns so many responses of a back end that fails. */
const down = (count: number) => Array.from({ length: count }, () => respond(500));

test('concurrent callers share a call, and later ones get the same token', async () => {
  const { getToken, callCount } = start();
  const [first, second] = await Promise.all([getToken(), getToken()]);
  expect(second).toBe(first);
  expect(await getToken()).toBe(first);
  expect(callCount()).toBe(1);
});

test.each([
  [0, 0.7],
  [0.5, 0.8],
  [0.999, 0.8998],
])('with the random number %d the token is renewed after %d of its lifetime', async (...row) => {
  const [random, share] = row;
  jest.spyOn(Math, 'random').mockReturnValue(random);
  const { getToken, callCount } = start();
  const first = await getToken();
  await jest.advanceTimersByTimeAsync(lifetimeMs * share - 2);
  expect([await getToken(), callCount()]).toEqual([first, 1]);
  await jest.advanceTimersByTimeAsync(4);
  expect(callCount()).toBe(2);
  expect(await getToken()).not.toBe(first);
});

test.each([
  [lifetimeMs - 5_001, 1],
  [lifetimeMs - 5_000, 2],
])('after %i ms of sleep, in which no timer runs, a caller causes call %i', async (ms, count) => {
  const { getToken, callCount } = start();
  await getToken();
  jest.setSystemTime(Date.now() + ms);
  await getToken();
  expect(callCount()).toBe(count);
});

test('a wall clock that is set back does not prolong a token', async () => {
  jest.spyOn(Math, 'random').mockReturnValue(0.5);
  const { getToken } = start(newToken(), ...down(100));
  const first = await getToken();
  jest.setSystemTime(Date.now() - 86_400_000);
  await jest.advanceTimersByTimeAsync(lifetimeMs - 10_000);
  expect(await getToken()).toBe(first);
  await jest.advanceTimersByTimeAsync(5_001);
  await expect(settle(getToken())).rejects.toMatchObject({ reason: 'unavailable' });
});

test('a failed call is tried again after a second, two and four, each shortened by up to a half', async () => {
  jest.spyOn(Math, 'random').mockReturnValue(0);
  const failures = [respond(500), new TypeError('fetch failed'), respond(404), respond(503)];
  const { getToken, callCount } = start(...failures);
  const asked = getToken();
  asked.catch(() => undefined);
  for (const [ms, count] of [
    [999, 1],
    [1, 2],
    [1_999, 2],
    [1, 3],
    [3_999, 3],
    [1, 4],
  ] as const) {
    await jest.advanceTimersByTimeAsync(ms);
    expect(callCount()).toBe(count);
  }
  await expect(asked).rejects.toMatchObject({ name: 'TokenError', reason: 'unavailable' });
  expect(await settle(getToken())).toBe(newToken(5));
});

test.each([
  ['5', 2],
  ['11', 1],
  ['soon', 4],
  ['-5', 4],
  ['Infinity', 1],
  ['Wed, 21 Oct 2099 07:28:00 GMT', 4],
])('with Retry-After %s there are %i calls', async (value, count) => {
  const busy = () => respond(429, null, { 'retry-after': value });
  const { getToken, callCount } = start(busy(), count === 2 ? newToken() : busy(), busy(), busy());
  await settle(getToken()).catch(() => undefined);
  expect(callCount()).toBe(count);
});

test.each([401, 403])(
  'status %i refuses, without a second try, and drops the token',
  async (status) => {
    const { getToken, callCount } = start(newToken(), respond(status));
    await getToken();
    await jest.advanceTimersByTimeAsync(lifetimeMs);
    expect(callCount()).toBe(2);
    const { getToken: getFirst } = start(respond(status));
    await expect(getFirst()).rejects.toMatchObject({ reason: 'refused' });
  },
);

test('a reported token is revoked before its end, expired after it, and replaced if it is not the present one', async () => {
  const { getToken, report } = start();
  const first = await getToken();
  expect(report(first)).toBe('revoked');
  expect(report(first)).toBe('replaced');
  const second = await settle(getToken());
  expect(second).not.toBe(first);
  jest.setSystemTime(Date.now() + lifetimeMs);
  expect(report(second)).toBe('expired');
});

test.each<[string, () => Promise<Response>]>([
  ['a call', () => new Promise(() => undefined)],
  ['a body', async () => new Response(new ReadableStream())],
])('%s that never ends is given up after ten seconds', async (_, fetchToken) => {
  let calls = 0;
  let aborts = 0;
  const source = createTokenSource({
    fetchToken: ({ signal }) => {
      calls += 1;
      signal.addEventListener('abort', () => (aborts += 1));
      return fetchToken();
    },
  });
  sources.push(source);
  await expect(settle(source.getToken())).rejects.toMatchObject({ reason: 'unavailable' });
  expect([calls, aborts]).toEqual([4, 4]);
});

test('two calls are half a second apart', async () => {
  const { getToken, report, callCount } = start();
  report(await getToken());
  const next = getToken();
  await jest.advanceTimersByTimeAsync(499);
  expect(callCount()).toBe(1);
  await jest.advanceTimersByTimeAsync(1);
  expect(await next).toBe(newToken(2));
});

test('a closed source gives no token, and calls no more', async () => {
  const { getToken, close, callCount } = start(respond(500));
  const asked = getToken();
  await jest.advanceTimersByTimeAsync(10);
  close();
  await expect(asked).rejects.toMatchObject({ reason: 'closed' });
  await expect(getToken()).rejects.toMatchObject({ reason: 'closed' });
  await jest.advanceTimersByTimeAsync(lifetimeMs);
  expect(callCount()).toBe(1);
});

test('a source that is closed before its next call does not make it', async () => {
  const { getToken, report, close, callCount } = start();
  report(await getToken());
  const asked = getToken();
  close();
  await expect(asked).rejects.toMatchObject({ reason: 'closed' });
  await jest.advanceTimersByTimeAsync(lifetimeMs);
  expect(callCount()).toBe(1);
});

const failureOf = (source: TokenSource): Promise<Error> =>
  settle(source.getToken()).then(
    (token) => Promise.reject(new Error(`it got ${token}`)),
    (error: unknown) => error as Error,
  );

const good = tokenOf({ iat: 1, exp: 901 });
const page = '<!doctype html><title>Sign in</title>';
const nowSeconds = 1_800_000_000;
const fortyDays = 40 * 86_400;

const notTokens: readonly [string, unknown][] = [
  ['undefined', undefined],
  ['an object', {}],
  ['a parsed body', { authToken: good }],
  ['a page as text', page],
  ['a token with a line break', `${good}\n`],
  ['a token in quotes', JSON.stringify(good)],
  ['a token without a signature', good.slice(0, -1)],
  ['a token whose claims are not JSON', tokenOf('claims')],
  ['a token whose claims are null', tokenOf(null)],
  ['a token without exp', tokenOf({ iat: 1 })],
  ['a token with exp as text', tokenOf({ iat: 1, exp: '2' })],
  ['a token that ends when it begins', tokenOf({ iat: 2, exp: 2 })],
  ['a token with exp in milliseconds', tokenOf({ iat: nowSeconds, exp: nowSeconds * 1_000 })],
  ['a token that never ends', tokenOf('{"iat":1,"exp":1e999}')],
];

test.each(notTokens)(
  '%s in place of a token, or as authToken, is invalid, after one call',
  async (_, result) => {
    for (const answer of [result, respond(200, { authToken: result })]) {
      const source = start(answer);
      const error = await failureOf(source);
      expect(error).toMatchObject({ name: 'TokenError', reason: 'invalid' });
      if (answer instanceof Response) expect(error.cause).toBe(answer);
      expect(source.callCount()).toBe(1);
    }
  },
);

test.each<[string, () => Response]>([
  ['a page', () => new Response(page, { headers: { 'content-type': 'text/html' } })],
  ['no body', () => new Response(null, { status: 204 })],
  ['half a body', () => new Response('{"authToken":"')],
  [
    'a body that is already read',
    () => {
      const read = respond(200, { authToken: good });
      void read.text();
      return read;
    },
  ],
  ['null', () => respond(200)],
])('a successful response with %s is invalid, after one call', async (_, makeResponse) => {
  const response = makeResponse();
  const source = start(response);
  const error = await failureOf(source);
  expect(error).toMatchObject({ name: 'TokenError', reason: 'invalid' });
  expect(error.cause).toBe(response);
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
  ['of two thousand years', { iat: nowSeconds, exp: nowSeconds + 6e10 }],
])('a token %s is valid: the clock of the browser does not count', async (_, claims) => {
  expect(await start(tokenOf(claims)).getToken()).toBe(tokenOf(claims));
});

test.each([0.001, 5, 60, 900, fortyDays, 6e10])(
  'a token of %d s is renewed at most six times a minute',
  async (seconds) => {
    const token = tokenOf({ iat: nowSeconds, exp: nowSeconds + seconds });
    const source = start(...Array.from({ length: 5_000 }, () => token));
    await source.getToken();
    await jest.advanceTimersByTimeAsync(600_000);
    expect(source.callCount()).toBeLessThanOrEqual(61);
  },
);

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
      await jest.advanceTimersByTimeAsync(1);
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
