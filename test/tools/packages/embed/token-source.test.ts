// The token of an embedded session in the browser, with a clock under control.
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createTokenSource, type TokenSource } from '../../../../packages/embed/src/index.ts';
import { lifetimeMs, newToken, respond, settle, startSource, tokenOf } from './scripted-source.ts';

let source: TokenSource;

const start = (...results: readonly unknown[]) => {
  const started = startSource(...results);
  source = started;
  return started;
};

/** Returns so many responses of a back end that fails. */
const down = (count: number) => Array.from({ length: count }, () => respond(500));

beforeEach(() => void vi.useFakeTimers());

afterEach(() => {
  source.close();
  vi.useRealTimers();
});

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
  vi.spyOn(Math, 'random').mockReturnValue(random);
  const { getToken, callCount } = start();
  const first = await getToken();
  await vi.advanceTimersByTimeAsync(lifetimeMs * share - 2);
  expect([await getToken(), callCount()]).toEqual([first, 1]);
  await vi.advanceTimersByTimeAsync(4);
  expect(callCount()).toBe(2);
  expect(await getToken()).not.toBe(first);
  vi.mocked(Math.random).mockRestore();
});

test.each([
  [lifetimeMs - 5_001, 1],
  [lifetimeMs - 5_000, 2],
])('after %i ms of sleep, in which no timer runs, a caller causes call %i', async (ms, count) => {
  const { getToken, callCount } = start();
  await getToken();
  vi.setSystemTime(Date.now() + ms);
  await getToken();
  expect(callCount()).toBe(count);
});

test('a wall clock that is set back does not prolong a token', async () => {
  vi.spyOn(Math, 'random').mockReturnValue(0.5);
  const { getToken } = start(newToken(), ...down(100));
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
    await vi.advanceTimersByTimeAsync(ms);
    expect(callCount()).toBe(count);
  }
  await expect(asked).rejects.toMatchObject({ name: 'TokenError', reason: 'unavailable' });
  expect(await settle(getToken())).toBe(newToken(5));
  vi.mocked(Math.random).mockRestore();
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
    await vi.advanceTimersByTimeAsync(lifetimeMs);
    expect(callCount()).toBe(2);
    const { getToken: getFirst } = start(respond(status));
    await expect(getFirst()).rejects.toMatchObject({ reason: 'refused' });
  },
);

test('while renewals fail, the present token is used until its end', async () => {
  const { getToken } = start(newToken(), ...down(100));
  const first = await getToken();
  await vi.advanceTimersByTimeAsync(lifetimeMs - 5_001);
  expect(await getToken()).toBe(first);
  await vi.advanceTimersByTimeAsync(2);
  await expect(settle(getToken())).rejects.toMatchObject({ reason: 'unavailable' });
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
  const second = await settle(getToken());
  expect(second).not.toBe(first);
  vi.setSystemTime(Date.now() + lifetimeMs);
  expect(report(second)).toBe('expired');
});

test.each<[string, () => Promise<Response>]>([
  ['a call', () => new Promise(() => undefined)],
  ['a body', async () => new Response(new ReadableStream())],
])('%s that never ends is given up after ten seconds', async (_, fetchToken) => {
  let calls = 0;
  let aborts = 0;
  source = createTokenSource({
    fetchToken: ({ signal }) => {
      calls += 1;
      signal.addEventListener('abort', () => (aborts += 1));
      return fetchToken();
    },
  });
  await expect(settle(source.getToken())).rejects.toMatchObject({ reason: 'unavailable' });
  expect([calls, aborts]).toEqual([4, 4]);
});

test('two calls are half a second apart', async () => {
  const { getToken, report, callCount } = start();
  report(await getToken());
  const next = getToken();
  await vi.advanceTimersByTimeAsync(499);
  expect(callCount()).toBe(1);
  await vi.advanceTimersByTimeAsync(1);
  expect(await next).toBe(newToken(2));
});

test('a closed source gives no token, and calls no more', async () => {
  const { getToken, close, callCount } = start(respond(500));
  const asked = getToken();
  await vi.advanceTimersByTimeAsync(10);
  close();
  await expect(asked).rejects.toMatchObject({ reason: 'closed' });
  await expect(getToken()).rejects.toMatchObject({ reason: 'closed' });
  await vi.advanceTimersByTimeAsync(lifetimeMs);
  expect(callCount()).toBe(1);
});

test('a source that is closed before its next call does not make it', async () => {
  const { getToken, report, close, callCount } = start();
  report(await getToken());
  const asked = getToken();
  close();
  await expect(asked).rejects.toMatchObject({ reason: 'closed' });
  await vi.advanceTimersByTimeAsync(lifetimeMs);
  expect(callCount()).toBe(1);
});
