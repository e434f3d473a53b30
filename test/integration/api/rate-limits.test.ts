// Rate limits of a key, of an admin, of rejected credentials from an address, and of one user's sign-ins.
import { createApiContext } from '../../../api/context.ts';
import { RateLimiter } from '../../../api/access/rate-limiter.ts';
import { serve } from '../../../api/serve.ts';
import type { Clock } from '../../../lib/platform/clock.ts';
import { connectStore } from '../../../lib/mongo/connect.ts';
import { addApp } from '../../support/add-app.ts';
import { makeTestAdmin, signIn as openSession } from '../../support/admin-client.ts';
import { type Answer, createApiClient } from '../../support/api-client.ts';
import { useService } from '../../support/use-service.ts';
import { waitFor } from '../../support/wait-for.ts';
import { expectProblem } from './problems.ts';

// A fixed clock keeps all counts in one minute. An hour ahead, the database expires none during the tests.
const standing = new Date(Date.now() + 3_600_000);
const clock: Clock = { now: () => standing };

const service = useService({
  worker: false,
  clock,
  env: {
    HERALD_KEY_REQUESTS_PER_MINUTE: '40',
    HERALD_FAILURES_PER_MINUTE: '5',
    HERALD_USER_SIGN_INS_PER_MINUTE: '3',
  },
});

const signIn = (externalId: string): Promise<Answer> =>
  service.call('POST', '/sdkusers/auth', { body: { externalId } });

function expectLimited(answer: Answer, name: string): void {
  expectProblem(answer, 429, 'rate_limited');
  const wait = Number(answer.headers.get('retry-after'));
  expect(wait).toBeGreaterThanOrEqual(1);
  expect(wait).toBeLessThanOrEqual(120);
  expect(answer.headers.get('ratelimit')).toBe(`"${name}";r=0;t=${wait}`);
}

test("one user's sign-ins per minute are limited, and other users are not affected", async () => {
  for (let n = 0; n < 3; n += 1) expect((await signIn('ada')).status).toBe(200);
  expectLimited(await signIn('ada'), 'sign-in');
  expect((await signIn('bob')).status).toBe(200);
});

test('rejected credentials from an address are limited, and a valid key from it is still accepted', async () => {
  const wrong = { headers: { 'x-api-key': 'ak_wrong' } };
  for (let n = 0; n < 5; n += 1) {
    expectProblem(await service.call('GET', '/webhooks', wrong), 401, 'unauthenticated');
  }
  expectLimited(await service.call('GET', '/webhooks', wrong), 'failure');
  expect((await service.call('GET', '/webhooks')).status).toBe(200);
});

test('every response to a key shows the rest of its limit, and the call after the last gets 429', async () => {
  const client = await addApp(service);
  const first = await client.call('GET', '/webhooks');
  expect(first.headers.get('ratelimit-policy')).toBe('"key";q=40;w=60');
  expect(first.headers.get('ratelimit')).toContain('r=39;');
  const next = await client.call('GET', '/webhooks');
  expect(next.headers.get('ratelimit')).toContain('r=38;');
  for (let n = 0; n < 38; n += 1) {
    expect((await client.call('GET', '/webhooks')).status).toBe(200);
  }
  expectLimited(await client.call('GET', '/webhooks'), 'key');
});

test('every response to an admin shows the rest of one limit for all sessions, which other admins do not share', async () => {
  const ada = await makeTestAdmin(service);
  const { headers } = await openSession(service, ada);
  const first = await ada.call('GET', '/session');
  expect(first.headers.get('ratelimit-policy')).toBe('"session";q=40;w=60');
  expect(first.headers.get('ratelimit')).toContain('r=39;');
  for (let n = 0; n < 39; n += 1) {
    expect((await service.raw('GET', '/admin/api/session', { headers })).status).toBe(200);
  }
  expectLimited(await ada.call('GET', '/session'), 'session');
  const bob = await makeTestAdmin(service);
  expect((await bob.call('GET', '/session')).status).toBe(200);
});

test("a rejected call with a valid key counts against the key's limit", async () => {
  const { store, app } = service;
  const other = await addApp(service);
  const left = (answer: Answer): number =>
    Number(/r=(\d+)/.exec(answer.headers.get('ratelimit') ?? '')?.[1]);
  const before = left(await other.call('GET', '/webhooks'));
  const foreign = createApiClient(service.apiUrl, { ...app, apiKey: other.apiKey });
  const elsewhere = await foreign.call('GET', '/webhooks');
  expectProblem(elsewhere, 404, 'not_found');
  expect(left(elsewhere)).toBe(before - 1);
  await store.apiKeys.updateOne({ appUid: other.appUid }, { $set: { scopes: ['users:auth'] } });
  const unscoped = await other.call('GET', '/webhooks');
  expectProblem(unscoped, 403, 'insufficient_scope');
  expect(left(unscoped)).toBe(before - 2);
  await store.apps.updateOne({ _id: other.appUid }, { $set: { disabledAt: new Date() } });
  const disabled = await other.call('GET', '/webhooks');
  expectProblem(disabled, 403, 'app_disabled');
  expect(left(disabled)).toBe(before - 3);
  for (let n = 0; n < before - 3; n += 1) await other.call('GET', '/webhooks');
  expectLimited(await other.call('GET', '/webhooks'), 'key');
});

test('two processes share their counts once both have reported them', async () => {
  const { config, store, sender, temporal } = service;
  const ports = { config, store, sender, temporal, clock };
  const context = await createApiContext({ ...ports, eager: false });
  await using other = await serve(context);
  const here = await addApp(service);
  const there = createApiClient(`http://127.0.0.1:${other.port}`, here);
  const key = await store.apiKeys.findOne({ appUid: here.appUid });
  const untilTold = (count: number): Promise<unknown> =>
    waitFor(
      () =>
        store.rateCounts
          .findOne({ _id: { $regex: `^key\\|${key?._id}\\|` }, count })
          .then((found) => found !== null),
      {
        what: `${count} calls of the key in the database`,
      },
    );
  for (let n = 0; n < 30; n += 1) await here.call('GET', '/webhooks');
  await untilTold(30);
  // A process reads the counts of the keys that it reports, which it does from a twentieth of the limit on.
  for (let n = 0; n < 2; n += 1) await there.call('GET', '/webhooks');
  await untilTold(32);
  let calls = 2;
  await waitFor(
    async () => {
      calls += 1;
      return (await there.call('GET', '/webhooks')).status === 429;
    },
    { what: 'a refusal by the other process' },
  );
  // On its own it would have accepted 40.
  expect(calls).toBeLessThan(40);
});

test('without its database a process enforces the limits on its own and rejects no other caller', async () => {
  const store = await connectStore(service.config.mongodb);
  const limit = { name: 'alone', countMax: 5, windowMs: 60_000 };
  const limiter = new RateLimiter({ store, clock }, limit);
  await store[Symbol.asyncDispose]();
  const taken = Array.from({ length: 8 }, () => limiter.take('ada').isOver);
  expect(taken).toEqual([false, false, false, false, false, true, true, true]);
  expect(limiter.take('bob').isOver).toBe(false);
  await limiter[Symbol.asyncDispose]();
});

test('the count of a frequent caller is kept even when very many others call once', async () => {
  const now = new Date();
  const limit = { name: 'crowded', countMax: 100, windowMs: 60_000 };
  const ports = { store: service.store, clock: { now: () => now } };
  await using limiter = new RateLimiter(ports, limit);
  for (let n = 0; n < 100; n += 1) limiter.take('busy');
  for (let n = 0; n < 50_000; n += 1) {
    limiter.take(`once-${n}`);
    if (n % 10_000 === 0) expect(limiter.take('busy').isOver).toBe(true);
  }
  expect(limiter.take('busy').isOver).toBe(true);
});
