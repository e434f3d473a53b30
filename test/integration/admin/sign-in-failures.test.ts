// Failed sign-ins in the audit log: all are counted, and a limited number leaves rows.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { systemCaller as caller } from '../../../lib/model/audit-log.ts';
import { createAdmin } from '../../../lib/access/create-admin.ts';
import { recordSignInFailure } from '../../../lib/access/sign-in-failures.ts';
import { startIdentityProvider, type TestProvider } from '../../support/identity-provider.ts';
import { comeBack, oidcSettings, outcomeOf, visitProvider } from '../../support/oidc-visit.ts';
import { startService, type TestService } from '../../support/service.ts';
import { waitFor } from '../../support/wait-for.ts';

let provider: TestProvider;
let service: TestService;
const firstTen = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10];
// Failures are counted per day. A fixed noon avoids midnight.
const noon = new Date(new Date().setUTCHours(12, 0, 0, 0));
// Far ahead, so that the database does not expire counts between two failures.
const day = new Date('2126-03-01T23:59:59.999Z');
const nextDay = new Date('2126-03-02T00:00:00Z');

beforeAll(async () => {
  provider = await startIdentityProvider();
  const clock = { now: () => noon };
  service = await startService({ worker: false, env: oidcSettings(provider.issuer), clock });
});

afterAll(async () => {
  await service?.[Symbol.asyncDispose]();
  await provider?.[Symbol.asyncDispose]();
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

test("a wrong password leaves a row with the admin's uid and the caller's address", async () => {
  const email = 'ada@example.com';
  const wish = { email, password: 'correct horse battery', superuser: true };
  const { _id: uid } = await createAdmin(service.store, wish);
  const body = { email, password: 'wrong' };
  const answer = await service.raw('POST', '/admin/api/session', { headers: {}, body });
  expect(answer.status).toBe(401);
  const filter = { 'target.uid': uid, action: 'admin.sign_in_failed' };
  // The response does not wait for it.
  const row = await waitFor(async () => (await service.store.auditLog.findOne(filter)) ?? false);
  expect(row).toMatchObject({
    actor: { kind: 'anonymous', uid: null },
    address: expect.stringMatching(/127\.0\.0\.1$/),
    details: { email, method: 'password', failuresOfDay: 1 },
  });
});
