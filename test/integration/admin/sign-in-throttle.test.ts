// Password guesses are throttled without locking the owner out.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createAdmin } from '../../../lib/access/create-admin.ts';
import { beginSignInAttempt } from '../../../lib/access/sign-in-throttle.ts';
import type { Answer } from '../../support/api-client.ts';
import { startService, type TestService } from '../../support/service.ts';
import { expectProblem } from '../api/problems.ts';

let service: TestService;
const email = 'ada@example.com';
const password = 'correct horse battery';

beforeAll(async () => {
  // A fixed clock, so that no wait ends before the next guess on a slow machine.
  const now = new Date();
  service = await startService({
    worker: false,
    env: { HERALD_TRUSTED_PROXY_HOPS: '1' },
    clock: { now: () => now },
  });
  await createAdmin(service.store, { email, password, superuser: true });
});

afterAll(async () => {
  await service?.[Symbol.asyncDispose]();
});

async function signInFrom(address: string, given: string): Promise<Answer> {
  const headers = { 'x-forwarded-for': address };
  const body = { email, password: given };
  return service.raw('POST', '/admin/api/session', { headers, body });
}

test('after five failures an address must wait for that email, while the owner signs in from another', async () => {
  for (let i = 0; i < 5; i += 1) {
    expectProblem(await signInFrom('198.51.100.1', 'wrong'), 401, 'sign_in_refused');
  }
  for (const given of ['wrong', password]) {
    const answer = await signInFrom('198.51.100.1', given);
    expectProblem(answer, 429, 'too_many_sign_ins');
    expect(answer.headers.get('retry-after')).toBe('1');
  }
  expect((await signInFrom('198.51.100.2', password)).status).toBe(200);
});

test("a client's own X-Forwarded-For does not change its address", async () => {
  for (let i = 0; i < 5; i += 1) await signInFrom(`10.0.0.${i}, 198.51.100.3`, 'wrong');
  const answer = await signInFrom('10.9.9.9, 198.51.100.3', 'wrong');
  expectProblem(answer, 429, 'too_many_sign_ins');
});

test('a sign-in that cannot be counted is refused, even with the right password', async () => {
  const { store } = service;
  const refuse = { collMod: 'signInThrottles', validator: { neverThere: { $type: 'bool' } } };
  await store.db.command({ ...refuse, validationLevel: 'strict' });
  const sessions = await store.adminSessions.countDocuments({});
  const answer = await signInFrom('198.51.100.9', password);
  await store.db.command({ ...refuse, validator: {}, validationLevel: 'off' });
  expectProblem(answer, 500, 'internal');
  expect(await store.adminSessions.countDocuments({})).toBe(sessions);
  expect((await signInFrom('198.51.100.9', password)).status).toBe(200);
});

test('concurrent guesses count like successive ones', async () => {
  const answers = await Promise.all(
    Array.from({ length: 30 }, () => signInFrom('198.51.100.4', 'wrong')),
  );
  const checked = answers.filter((answer) => answer.status === 401);
  expect(checked.length).toBeLessThanOrEqual(5);
  expect(answers.filter((answer) => answer.status === 429).length).toBe(30 - checked.length);
});

/** Fails `count` times, each as early as allowed, and returns the waits in seconds. */
async function waitsOf(subject: { email: string; address: string }, count: number) {
  // The real day, because the database would expire counts of another one.
  let now = new Date();
  const waits: number[] = [];
  for (let i = 0; i < count; i += 1) {
    const options = { pepper: service.config.keyPepper, now };
    expect((await beginSignInAttempt(service.store, subject, options)).allowed).toBe(true);
    const next = await beginSignInAttempt(service.store, subject, options);
    // An allowed attempt counts, so without a wait it is the next failure.
    const waitMs = next.allowed ? 0 : next.retryAfterMs;
    if (next.allowed) i += 1;
    waits.push(waitMs / 1_000);
    now = new Date(now.getTime() + waitMs);
  }
  return waits;
}

test('the waits double from one second to a quarter of an hour', async () => {
  const waits = await waitsOf({ email: 'x@example.com', address: '203.0.113.1' }, 18);
  expect(waits).toEqual([0, 0, 1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 900, 900, 900, 900]);
});

test('an address waits after twenty failures with any emails, an IPv6 address as its /64', async () => {
  const options = { pepper: service.config.keyPepper, now: new Date() };
  const attempt = (i: number, address: string) =>
    beginSignInAttempt(service.store, { email: `spray${i}@example.com`, address }, options);
  for (let i = 0; i < 20; i += 1) {
    expect((await attempt(i, `2001:db8:1:2::${i + 1}`)).allowed).toBe(true);
  }
  expect((await attempt(21, '2001:db8:1:2:ffff::1')).allowed).toBe(false);
  expect((await attempt(21, '2001:db8:1:3::1')).allowed).toBe(true);
});

test('an attempt during a wait is not counted, and the owner can sign in once the wait is over', async () => {
  const { store, config } = service;
  const now = new Date();
  const address = '203.0.113.20';
  const attempt = (email: string, at: Date) =>
    beginSignInAttempt(store, { email, address }, { pepper: config.keyPepper, now: at });
  for (let i = 0; i < 20; i += 1) await attempt(`guessed${i}@example.com`, now);
  const all = () => store.signInThrottles.find({}).sort({ _id: 1 }).toArray();
  const before = await all();
  for (let i = 0; i < 10; i += 1) {
    expect(await attempt(`made-up${i}@example.com`, now)).toEqual({
      allowed: false,
      retryAfterMs: 1_000,
    });
    expect((await attempt('owner@example.com', now)).allowed).toBe(false);
  }
  expect(await all()).toEqual(before);
  expect((await attempt('owner@example.com', new Date(now.getTime() + 999))).allowed).toBe(false);
  expect((await attempt('owner@example.com', new Date(now.getTime() + 1_000))).allowed).toBe(true);
});

test('a returned attempt leaves no count', async () => {
  const { store, config } = service;
  const now = new Date();
  const subject = { email: 'unserved@example.com', address: '203.0.113.30' };
  const before = await store.signInThrottles.countDocuments({});
  for (let i = 0; i < 25; i += 1) {
    const attempt = await beginSignInAttempt(store, subject, { pepper: config.keyPepper, now });
    if (!attempt.allowed) throw new Error(`attempt ${i + 1} was refused`);
    await attempt.release();
  }
  expect(await store.signInThrottles.countDocuments({})).toBe(before);
});

test('of several concurrent attempts the returned ones leave no count', async () => {
  const { store, config } = service;
  const options = { pepper: config.keyPepper, now: new Date() };
  const subject = { email: 'crowded@example.com', address: '203.0.113.31' };
  const before = await store.signInThrottles.find({}).sort({ _id: 1 }).toArray();
  const takeFive = async () => {
    const attempts = await Promise.all(
      Array.from({ length: 5 }, () => beginSignInAttempt(store, subject, options)),
    );
    return attempts.map((attempt) => {
      if (!attempt.allowed) throw new Error('an attempt was refused');
      return attempt;
    });
  };
  for (const attempt of await takeFive()) await attempt.release();
  expect(await store.signInThrottles.find({}).sort({ _id: 1 }).toArray()).toEqual(before);
  const [guess, ...unserved] = await takeFive();
  expect(guess).toBeDefined();
  await Promise.all(unserved.map((attempt) => attempt.release()));
  const known = before.map(({ _id }) => _id);
  const counted = await store.signInThrottles.find({ _id: { $nin: known } }).toArray();
  expect(counted.map(({ failures }) => failures)).toEqual([1, 1]);
});

test('a success clears the failures of its email, and only its own attempt from those of its address', async () => {
  const { store, config } = service;
  const now = new Date();
  const options = { pepper: config.keyPepper, now };
  const address = '203.0.113.9';
  for (let i = 0; i < 19; i += 1) {
    await beginSignInAttempt(store, { email: `other${i}@example.com`, address }, options);
  }
  for (let i = 0; i < 10; i += 1) {
    const attempt = await beginSignInAttempt(
      store,
      { email: 'mine@example.com', address },
      options,
    );
    expect(attempt.allowed).toBe(true);
    if (attempt.allowed) await attempt.succeeded();
  }
  expect(
    (await beginSignInAttempt(store, { email: 'last@example.com', address }, options)).allowed,
  ).toBe(true);
  expect(
    (await beginSignInAttempt(store, { email: 'mine@example.com', address }, options)).allowed,
  ).toBe(false);
});

test('MongoDB deletes failures after a day', async () => {
  const indexes = await service.store.signInThrottles.indexes();
  expect(indexes.find((index) => index.name === 'expiry')).toMatchObject({
    key: { updatedAt: 1 },
    expireAfterSeconds: 86_400,
  });
});
