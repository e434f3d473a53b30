// The token of an embedded session in the browser, with a clock under control.
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import {
  createTokenSource,
  type TokenSource,
  type TokenSourceOptions,
} from '../../../../packages/embed/src/index.ts';

const lifetimeMs = 600_000;
let source: TokenSource;
let calls = 0;

beforeEach(() => {
  calls = 0;
  vi.useFakeTimers();
});

afterEach(() => {
  source.close();
  vi.useRealTimers();
});

function tokenOf(claims: object): string {
  const encode = (part: object): string => Buffer.from(JSON.stringify(part)).toString('base64url');
  return `${encode({ alg: 'none' })}.${encode(claims)}.x`;
}

/** A token that lives for ten minutes, by a clock that is wrong by years. */
const newToken = (): string => tokenOf({ iat: 1_000, exp: 1_000 + lifetimeMs / 1_000, n: calls });

const respond = (status: number, body: unknown = null, headers = {}): Response =>
  new Response(JSON.stringify(body), { status, headers });

/** Starts a source whose calls get these responses in turn, then tokens. */
function start(...responses: (Response | Error | string | undefined)[]): TokenSource {
  const fetchToken: TokenSourceOptions['fetchToken'] = async () => {
    calls += 1;
    const next = responses.shift() ?? respond(200, { authToken: newToken() });
    if (next instanceof Error) throw next;
    return next;
  };
  source = createTokenSource({ fetchToken });
  return source;
}

/** Lets time pass until the call has a result. */
async function settle<T>(call: Promise<T>, ms = 60_000): Promise<T> {
  call.catch(() => undefined);
  await vi.advanceTimersByTimeAsync(ms);
  return call;
}

test('concurrent callers share a call, and later ones get the same token', async () => {
  const { getToken } = start();
  const [first, second] = await Promise.all([getToken(), getToken()]);
  expect(second).toBe(first);
  expect(await getToken()).toBe(first);
  expect(calls).toBe(1);
});

test.each([
  [0, 0.7],
  [0.5, 0.8],
  [0.999, 0.8998],
])('with the random number %d the token is renewed after %d of its lifetime', async (...row) => {
  const [random, share] = row;
  vi.spyOn(Math, 'random').mockReturnValue(random);
  const { getToken } = start();
  const first = await getToken();
  await vi.advanceTimersByTimeAsync(lifetimeMs * share - 2);
  expect([await getToken(), calls]).toEqual([first, 1]);
  await vi.advanceTimersByTimeAsync(4);
  expect(calls).toBe(2);
  expect(await getToken()).not.toBe(first);
  vi.mocked(Math.random).mockRestore();
});

test.each([
  [lifetimeMs - 5_001, 1],
  [lifetimeMs - 5_000, 2],
])('after %i ms of sleep, in which no timer runs, a caller causes call %i', async (ms, count) => {
  const { getToken } = start();
  await getToken();
  vi.setSystemTime(Date.now() + ms);
  await getToken();
  expect(calls).toBe(count);
});

test('a wall clock that is set back does not prolong a token', async () => {
  vi.spyOn(Math, 'random').mockReturnValue(0.5);
  const { getToken } = start(undefined, ...Array.from({ length: 100 }, () => respond(500)));
  const first = await getToken();
  vi.setSystemTime(Date.now() - 86_400_000);
  await vi.advanceTimersByTimeAsync(lifetimeMs - 10_000);
  expect(await getToken()).toBe(first);
  await vi.advanceTimersByTimeAsync(5_001);
  await expect(settle(getToken())).rejects.toMatchObject({ reason: 'unavailable' });
  vi.mocked(Math.random).mockRestore();
});

test('a failed call is tried again after a second, two and four, each shortened by up to a half', async () => {
  vi.spyOn(Math, 'random').mockReturnValue(0);
  const down = [respond(500), new TypeError('fetch failed'), respond(404), respond(503)];
  const { getToken } = start(...down);
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
    await vi.advanceTimersByTimeAsync(ms);
    expect(calls).toBe(count);
  }
  await expect(asked).rejects.toMatchObject({ name: 'TokenError', reason: 'unavailable' });
  expect(await getToken()).toBe(newToken());
  vi.mocked(Math.random).mockRestore();
});

test.each([
  ['5', 2],
  ['11', 1],
  ['soon', 4],
])('with Retry-After %s there are %i calls', async (value, count) => {
  const busy = () => respond(429, null, { 'retry-after': value });
  const { getToken } = start(busy(), count === 2 ? undefined : busy(), busy(), busy());
  await settle(getToken()).catch(() => undefined);
  expect(calls).toBe(count);
});

test.each([401, 403])(
  'status %i refuses, without a second try, and drops the token',
  async (status) => {
    const { getToken } = start(undefined, respond(status));
    await getToken();
    await vi.advanceTimersByTimeAsync(lifetimeMs);
    expect(calls).toBe(2);
    const { getToken: getFirst } = start(respond(status));
    await expect(getFirst()).rejects.toMatchObject({ reason: 'refused' });
  },
);

test('while renewals fail, the present token is used until its end', async () => {
  const { getToken } = start(undefined, ...Array.from({ length: 100 }, () => respond(500)));
  const first = await getToken();
  await vi.advanceTimersByTimeAsync(lifetimeMs - 5_001);
  expect(await getToken()).toBe(first);
  await vi.advanceTimersByTimeAsync(2);
  await expect(settle(getToken())).rejects.toMatchObject({ reason: 'unavailable' });
});

test.each([
  ['text', 'text'],
  ['no expiry', tokenOf({ iat: 1 })],
  ['an end before its beginning', tokenOf({ iat: 2, exp: 1 })],
  ['no token at all', undefined],
])('%s is an invalid token', async (_what, authToken) => {
  const { getToken } = start(respond(200, { authToken }));
  await expect(getToken()).rejects.toMatchObject({ reason: 'invalid' });
  expect(calls).toBe(1);
});

test('the token itself is accepted in place of a response', async () => {
  const token = tokenOf({ iat: 1, exp: 2 });
  expect(await start(token).getToken()).toBe(token);
});

test('a reported token is revoked before its end, expired after it, and replaced if it is not the present one', async () => {
  const { getToken, report } = start();
  const first = await getToken();
  expect(report(first)).toBe('revoked');
  expect(report(first)).toBe('replaced');
  const second = await getToken();
  expect(second).not.toBe(first);
  vi.setSystemTime(Date.now() + lifetimeMs);
  expect(report(second)).toBe('expired');
});

test('a call that never ends is given up after ten seconds', async () => {
  let signalled = 0;
  source = createTokenSource({
    fetchToken: ({ signal }) => {
      calls += 1;
      signal.addEventListener('abort', () => (signalled += 1));
      return new Promise(() => undefined);
    },
  });
  await expect(settle(source.getToken())).rejects.toMatchObject({ reason: 'unavailable' });
  expect([calls, signalled]).toEqual([4, 4]);
});

test('a closed source gives no token, and calls no more', async () => {
  const { getToken, close } = start(respond(500));
  const asked = getToken();
  await vi.advanceTimersByTimeAsync(10);
  close();
  await expect(asked).rejects.toMatchObject({ reason: 'closed' });
  await expect(getToken()).rejects.toMatchObject({ reason: 'closed' });
  await vi.advanceTimersByTimeAsync(lifetimeMs);
  expect(calls).toBe(1);
});
