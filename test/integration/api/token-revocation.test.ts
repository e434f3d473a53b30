// Revoked tokens are inactive once the call has responded, and a later token is active even in the same second.
import { decodeJwt } from 'jose';
import { createApiContext } from '../../../api/context.ts';
import { serve } from '../../../api/serve.ts';
import { connectStore } from '../../../lib/mongo/connect.ts';
import { addApp } from '../../support/add-app.ts';
import { makeTestAdmin } from '../../support/admin-client.ts';
import { type Answer, createApiClient } from '../../support/api-client.ts';
import { useService } from '../../support/use-service.ts';
import { expectProblem } from './problems.ts';
import { signIn, verify } from './token-forge.ts';

/** The time of the service's clock, unless it is null. */
let stoodStillAt: Date | null = null;

const service = useService({ worker: false, clock: { now: () => stoodStillAt ?? new Date() } });

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

test('another process refuses tokens immediately, however they were revoked', async () => {
  const { config, sender, temporal, app } = service;
  await using store = await connectStore(config.mongodb);
  await using other = await serve(
    await createApiContext({ config, store, sender, temporal, eager: false }),
  );
  const there = createApiClient(`http://127.0.0.1:${other.port}`, app);
  const ways: ((userUid: string, tokenUid: string) => Promise<Answer>)[] = [
    (userUid) => service.call('POST', `/sdkusers/${userUid}/tokens/revoke`),
    (userUid, tokenUid) => service.call('POST', `/sdkusers/${userUid}/tokens/${tokenUid}/revoke`),
    () => service.call('POST', '/sdkusers/tokens/revoke'),
    (userUid) => service.call('DELETE', `/sdkusers/${userUid}`),
  ];
  const tokenSeenThere = async (): Promise<string> => {
    const token = await signIn(service, { externalId: 'everywhere' });
    expect(await verify(there, token)).toMatchObject({ active: true });
    return token;
  };
  for (const revokeBy of ways) {
    const token = await tokenSeenThere();
    expect((await revokeBy(userOf(token), String(decodeJwt(token).jti))).status).toBe(204);
    expect(await verify(there, token)).toEqual(revoked);
  }
  const token = await tokenSeenThere();
  const admin = await makeTestAdmin(service, { superuser: true });
  const turn = (active: boolean) =>
    admin.call('PATCH', `/apps/${app.appUid}`, { body: { active } });
  await turn(false);
  expectProblem(await there.call('GET', '/agents'), 403, 'app_disabled');
  await turn(true);
  expect(await verify(there, token)).toEqual(revoked);
});
