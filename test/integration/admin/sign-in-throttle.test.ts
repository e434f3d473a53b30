// Failed sign-ins: guesses are throttled without locking the owner out; all are counted, and a limited number leaves rows
// in the audit log.
import { createAdmin } from '../../../lib/access/create-admin.ts';
import { recordSignInFailure } from '../../../lib/access/sign-in-failures.ts';
import { beginSignInAttempt } from '../../../lib/access/sign-in-throttle.ts';
import { systemCaller as caller } from '../../../lib/model/audit-log.ts';
import type { Answer } from '../../support/api-client.ts';
import { startIdentityProvider, type TestProvider } from '../../support/identity-provider.ts';
import { comeBack, oidcSettings, outcomeOf, visitProvider } from '../../support/oidc-visit.ts';
import { startService, type TestService } from '../../support/service.ts';
import { waitFor } from '../../support/wait-for.ts';
import { expectProblem } from '../api/problems.ts';

let provider: TestProvider;
let service: TestService;
const firstTen = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10];
// Failures are counted per day. A fixed noon avoids midnight.
const noon = new Date(new Date().setUTCHours(12, 0, 0, 0));
// Far ahead, so that the database does not expire counts between two failures.
const day = new Date('2126-03-01T23:59:59.999Z');
const nextDay = new Date('2126-03-02T00:00:00Z');
const email = 'ada@example.com';
const password = 'correct horse battery';
let adaUid: string;

beforeAll(async () => {
  provider = await startIdentityProvider();
  // A fixed clock, so that no wait ends before the next guess on a slow machine.
  service = await startService({
    worker: false,
    env: { HERALD_TRUSTED_PROXY_HOPS: '1', ...oidcSettings(provider.issuer) },
    clock: { now: () => noon },
  });
  adaUid = (await createAdmin(service.store, { email, password, superuser: true }))._id;
});

afterAll(async () => {
  await service?.[Symbol.asyncDispose]();
  await provider?.[Symbol.asyncDispose]();
});

async function signInFrom(address: string, given: string): Promise<Answer> {
  const headers = { 'x-forwarded-for': address };
  const body = { email, password: given };
  return service.raw('POST', '/admin/api/session', { headers, body });
}

test("a wrong password leaves a row with the admin's uid and the caller's address", async () => {
  expect((await signInFrom('198.51.100.40', 'wrong')).status).toBe(401);
  const address = '198.51.100.40';
  const filter = { 'target.uid': adaUid, action: 'admin.sign_in_failed', address };
  // The response does not wait for it.
  const row = await waitFor(async () => (await service.store.auditLog.findOne(filter)) ?? false);
  expect(row).toMatchObject({
    actor: { kind: 'anonymous', uid: null },
    details: { email, method: 'password', failuresOfDay: 1 },
  });
});

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

/** Records `times` failures concurrently; returns the counts in the rows of the audit log. */
async function fail(adminUid: string | null, times: number, now: Date): Promise<unknown[]> {
  const { store } = service;
  await Promise.all(
    Array.from({ length: times }, (_, i) => {
      const failure = { adminUid, method: 'password', email: `${i}@example.com` } as const;
      return recordSignInFailure(store, failure, { caller, now });
    }),
  );
  return countsOf(adminUid ?? 'unknown', now);
}

async function countsOf(uid: string, createdAt: Date): Promise<unknown[]> {
  const filter = { 'target.uid': uid, createdAt };
  const rows = await service.store.auditLog.find(filter).toArray();
  return rows
    .map((row) => Number(row.details['failuresOfDay']))
    .toSorted((one, other) => one - other);
}

test("only an admin's first ten failures of a day each leave a row", async () => {
  expect(await fail('adm_1', 9, day)).toEqual(firstTen.slice(0, 9));
  expect(await fail('adm_1', 100, day)).toEqual(firstTen);
  expect(await fail('adm_2', 1, day)).toEqual([1]);
});

test('the count starts again on the next day', async () => {
  expect(await fail('adm_3', 1, day)).toEqual([1]);
  expect(await fail('adm_3', 1, nextDay)).toEqual([1]);
});

test('failures with unknown emails share one count', async () => {
  expect(await fail(null, 300, day)).toEqual(firstTen);
});

test('users of the provider who are not admins are counted as well', async () => {
  provider.claims = { email: 'stranger@example.com', email_verified: true };
  for (let i = 0; i < 12; i += 1) {
    expect(outcomeOf(await comeBack(service, await visitProvider(service)))).toBe('refused');
  }
  expect(await countsOf('unknown', noon)).toEqual(firstTen);
});

test('a failed sign-in gets a response even if it cannot be recorded', async () => {
  const { db } = service.store;
  const refuse = { collMod: 'rateCounts', validator: { neverThere: { $type: 'bool' } } };
  await db.command({ ...refuse, validationLevel: 'strict' });
  const body = { email: 'unrecorded@example.com', password: 'wrong' };
  const answer = await service.raw('POST', '/admin/api/session', { headers: {}, body });
  await db.command({ ...refuse, validator: {}, validationLevel: 'off' });
  expect(answer.status).toBe(401);
});
