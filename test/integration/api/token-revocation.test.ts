// Revoked tokens are inactive once the call has responded, and a later token is active even in the same second.
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { decodeJwt } from 'jose';
import { addApp } from '../../support/add-app.ts';
import { startService, type TestService } from '../../support/service.ts';
import { expectProblem, makeKey } from './problems.ts';
import { signIn, verify } from './token-forge.ts';

let service: TestService;
/** The time of the service's clock, unless it is null. */
let stoodStillAt: Date | null = null;

beforeAll(async () => {
  const clock = { now: () => stoodStillAt ?? new Date() };
  service = await startService({ worker: false, clock });
});

afterAll(async () => {
  await service?.[Symbol.asyncDispose]();
});

const revoked = { active: false, reason: 'revoked' };

function userOf(token: string): string {
  return String(decodeJwt(token).sub);
}

afterEach(() => {
  stoodStillAt = null;
});

async function revoke(path: string): Promise<void> {
  const answer = await service.call('POST', `/sdkusers${path}/tokens/revoke`);
  expect([answer.status, answer.text]).toEqual([204, '']);
}

test("revoking a user's tokens ends all of them immediately, and no other user's", async () => {
  const tokens = [
    await signIn(service, { externalId: 'ended' }),
    await signIn(service, { externalId: 'ended' }),
  ];
  const other = await signIn(service, { externalId: 'not ended' });
  await revoke(`/${userOf(tokens[0] ?? '')}`);
  for (const token of tokens) expect(await verify(service, token)).toEqual(revoked);
  expect(await verify(service, other)).toMatchObject({ active: true });
});

test("revoking an application's tokens ends those of all its users, and no other application's", async () => {
  const other = await addApp(service);
  const foreign = await other.call('POST', '/sdkusers/auth', { body: { externalId: 'foreign' } });
  const tokens = await Promise.all(
    ['a', 'b', 'c'].map((externalId) => signIn(service, { externalId })),
  );
  await revoke('');
  for (const token of tokens) expect(await verify(service, token)).toEqual(revoked);
  const untouched = await verify(other, String(foreign.body['authToken']));
  expect(untouched).toMatchObject({ active: true });
  const again = await signIn(service, { externalId: 'a' });
  expect(await verify(service, again)).toMatchObject({ active: true });
});

test('within one millisecond, tokens before a revocation are inactive and those after it active', async () => {
  stoodStillAt = new Date();
  let last = await signIn(service, { externalId: 'fast' });
  const userUid = userOf(last);
  for (let round = 0; round < 30; round += 1) {
    await revoke(round % 3 === 0 ? '' : `/${userUid}`);
    const next = await signIn(service, { externalId: 'fast' });
    const [before, after] = await Promise.all([verify(service, last), verify(service, next)]);
    expect(before).toEqual(revoked);
    expect(after).toMatchObject({ active: true });
    expect(decodeJwt(next).iat).toBe(decodeJwt(last).iat);
    last = next;
  }
});

test('different clocks of the processes do not affect a revocation', async () => {
  const { context } = service;
  const real = context.clock;
  try {
    for (const offsetMs of [-4_000, 4_000]) {
      const before = await signIn(service, { externalId: 'skewed' });
      context.clock = { now: () => new Date(Date.now() + offsetMs) };
      await revoke(`/${userOf(before)}`);
      context.clock = real;
      expect(await verify(service, before)).toEqual(revoked);
      const after = await signIn(service, { externalId: 'skewed' });
      expect(await verify(service, after)).toMatchObject({ active: true });
    }
  } finally {
    context.clock = real;
  }
});

test('twenty concurrent revocations are all counted', async () => {
  const token = await signIn(service, { externalId: 'crowd' });
  const _id = userOf(token);
  await Promise.all(Array.from({ length: 20 }, () => revoke(`/${_id}`)));
  expect(await service.store.users.findOne({ _id })).toMatchObject({ tokenEpoch: 20 });
  expect(await service.store.auditLog.countDocuments({ 'target.uid': _id })).toBe(20);
});

test('each revocation is in the audit log, with the key that requested it', async () => {
  await service.store.auditLog.deleteMany({});
  const userUid = userOf(await signIn(service, { externalId: 'audited' }));
  await revoke(`/${userUid}`);
  await revoke('');
  const { appUid } = service.app;
  const rows = await service.store.auditLog.find({ appUid }).sort({ _id: 1 }).toArray();
  expect(rows.map((row) => [row.action, row.target])).toEqual([
    ['user.tokens_revoked', { kind: 'user', uid: userUid }],
    ['app.tokens_revoked', { kind: 'app', uid: appUid }],
  ]);
  for (const row of rows) {
    expect(row.actor).toEqual({ kind: 'api_key', uid: expect.stringMatching(/^key_/) });
    expect(row.requestId).toMatch(/^req_/);
  }
});

test("the tokens of an unknown, deleted or another application's user cannot be revoked", async () => {
  const deleted = userOf(await signIn(service, { externalId: 'deleted' }));
  await service.call('DELETE', `/sdkusers/${deleted}`);
  const foreign = userOf(await signIn(service, { externalId: 'foreign' }));
  await service.store.users.updateOne({ _id: foreign }, { $set: { appUid: 'app_other' } });
  for (const uid of ['usr_none', deleted, foreign]) {
    const answer = await service.call('POST', `/sdkusers/${uid}/tokens/revoke`);
    expectProblem(answer, 404, 'not_found');
  }
  expect(await service.store.users.findOne({ _id: foreign })).not.toHaveProperty('tokenEpoch');
});

test('a revocation requires the scope users:auth', async () => {
  const headers = { 'x-api-key': await makeKey(service, { scopes: ['admin'] }) };
  for (const path of ['/sdkusers/tokens/revoke', '/sdkusers/usr_x/tokens/revoke']) {
    expectProblem(await service.call('POST', path, { headers }), 403, 'insufficient_scope');
  }
});
