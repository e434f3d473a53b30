// The token of a sign-in, as the verify call for SDK back ends and independent verifiers check it.
import { createRemoteJWKSet, decodeJwt, jwtVerify, type JWTVerifyOptions } from 'jose';
import { addApp } from '../../support/add-app.ts';
import { useService } from '../../support/use-service.ts';
import { makeAccount, makeAgent } from './resource-calls.ts';
import { signIn, verify } from './token-forge.ts';

// A fixed clock that tests can move, at a whole second like the times of a token.
const startedAtMs = Math.floor(Date.now() / 1_000) * 1_000;
let nowMs = startedAtMs;
const clock = { now: (): Date => new Date(nowMs) };

const service = useService({ worker: false, clock });

beforeEach(async () => {
  nowMs = startedAtMs;
  await useOrigins(null);
});

const useOrigins = (origins: string[] | null) =>
  service.store.apps.updateOne({ _id: service.app.appUid }, { $set: { origins } });

test('the response for a valid token has its user, expiry and accounts', async () => {
  const { accountUid } = service.app;
  const body = { externalId: 'verified', accountUids: [accountUid] };
  const signedIn = await service.call('POST', '/sdkusers/auth', { body });
  const answer = await verify(service, String(signedIn.body['authToken']));
  expect(answer).toEqual({
    active: true,
    userUid: signedIn.body['userUid'],
    accountUids: [accountUid],
    externalTenantId: null,
    tokenUid: expect.stringMatching(/^tok_[0-9a-z]{26}$/),
    issuedAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
    expiresAt: signedIn.body['expiresAt'],
  });
  const lifetimeMs =
    Date.parse(String(answer['expiresAt'])) - Date.parse(String(answer['issuedAt']));
  expect(lifetimeMs).toBe(15 * 60_000);
});

test('a token is active until its exp and expired from then on', async () => {
  const token = await signIn(service, { externalId: 'ageing' });
  nowMs += 15 * 60_000 - 1;
  expect(await verify(service, token)).toMatchObject({ active: true });
  nowMs += 1;
  expect(await verify(service, token)).toEqual({ active: false, reason: 'expired' });
});

test('a verifier whose clock is five seconds behind accepts a new token, one six seconds behind does not', async () => {
  const token = await signIn(service, { externalId: 'early' });
  nowMs -= 5_000;
  expect(await verify(service, token)).toMatchObject({ active: true });
  nowMs -= 1_000;
  expect(await verify(service, token)).toEqual({ active: false, reason: 'invalid' });
});

test("an agent is reachable through the token's accounts", async () => {
  const [one, two, three] = [
    await makeAccount(service),
    await makeAccount(service),
    await makeAccount(service),
  ];
  const ofOne = await signIn(service, { externalId: 'one', accountUids: [one] });
  const ofBoth = await signIn(service, { externalId: 'both', accountUids: [one, two] });
  const ofNone = await signIn(service, { externalId: 'none' });
  const agents: [string, string[]][] = [
    [await makeAgent(service), [ofOne, ofBoth, ofNone]],
    [await makeAgent(service, { accountUids: null }), [ofOne, ofBoth, ofNone]],
    [await makeAgent(service, { accountUids: [one] }), [ofOne, ofBoth]],
    [await makeAgent(service, { accountUids: [two, three] }), [ofBoth]],
    [await makeAgent(service, { accountUids: [three] }), []],
    [await makeAgent(service, { accountUids: [] }), []],
    ['agt_01m7z102f2rh00btr2c2tw0zan', []],
  ];
  for (const [uid, allowed] of agents) {
    for (const token of [ofOne, ofBoth, ofNone]) {
      const agent = { uid, allowed: allowed.includes(token) };
      expect(await verify(service, token, { agentUid: uid })).toMatchObject({
        active: true,
        agent,
      });
    }
  }
});

test('the accounts in the token count, not those that the user got later', async () => {
  const accountUid = await makeAccount(service);
  const agentUid = await makeAgent(service, { accountUids: [accountUid] });
  const before = await signIn(service, { externalId: 'joiner' });
  const after = await signIn(service, { externalId: 'joiner', accountUids: [accountUid] });
  expect(await verify(service, before, { agentUid })).toMatchObject({ agent: { allowed: false } });
  expect(await verify(service, after, { agentUid })).toMatchObject({ agent: { allowed: true } });
});

test("another application's agent gets the same response as an unknown one", async () => {
  const agentUid = await makeAgent(service);
  await service.store.agents.updateOne({ _id: agentUid }, { $set: { appUid: 'app_other' } });
  const token = await signIn(service, { externalId: 'stranger' });
  const answer = await verify(service, token, { agentUid });
  expect(answer['agent']).toEqual({ uid: agentUid, allowed: false });
});

test('the response for an inactive token reveals nothing about an agent', async () => {
  const answer = await verify(service, 'no token', { agentUid: await makeAgent(service) });
  expect(answer).toEqual({ active: false, reason: 'invalid' });
});

test('the longest possible token is under 8 KiB and active', async () => {
  const accountUids = await Promise.all(Array.from({ length: 100 }, () => makeAccount(service)));
  // Of 51 characters each, which is almost the limit of all together.
  const origins = Array.from({ length: 20 }, (_, n) => `https://${`${n}`.padStart(43, 'a')}`);
  await useOrigins(origins);
  const externalTenantId = '😀'.repeat(200);
  const body = { externalId: 'everywhere', accountUids, externalTenantId };
  const token = await signIn(service, body);
  expect(token.length).toBeGreaterThan(7_400);
  expect(token.length).toBeLessThan(8 * 1_024);
  const seen = await verify(service, token, { origin: origins[19] ?? '' });
  expect(seen).toMatchObject({ active: true, accountUids, externalTenantId });
});

test('a sign-in names the tenant, which the token carries and the verification returns', async () => {
  const externalTenantId = 'tenant "1" \\ <b>';
  const token = await signIn(service, { externalId: 'of-tenant', externalTenantId });
  expect(decodeJwt(token)['tenant']).toBe(externalTenantId);
  expect(await verify(service, token)).toMatchObject({ active: true, externalTenantId });
  // It grants nothing.
  const agentUid = await makeAgent(service, { accountUids: [service.app.accountUid] });
  expect(await verify(service, token, { agentUid })).toMatchObject({ agent: { allowed: false } });
});

test.each([60, 3_600])('a sign-in can ask for a token of %d s', async (expiresInSeconds) => {
  const body = { externalId: 'timed', expiresInSeconds };
  const { authToken = '', expiresAt } = await signInWith(body);
  expect(Date.parse(String(expiresAt))).toBe(startedAtMs + expiresInSeconds * 1_000);
  nowMs += expiresInSeconds * 1_000 - 1;
  expect(await verify(service, authToken)).toMatchObject({ active: true, expiresAt });
  nowMs += 1;
  expect(await verify(service, authToken)).toEqual({ active: false, reason: 'expired' });
});

test('a token is for the origins that its application had at the sign-in, if the verifier asks', async () => {
  const unbound = await signIn(service, { externalId: 'page' });
  await useOrigins(['https://app.example.com', 'http://localhost:5173']);
  const bound = await signIn(service, { externalId: 'page' });
  await useOrigins(['https://new.example.com']);
  for (const origin of ['https://app.example.com', 'http://localhost:5173', undefined])
    for (const token of [unbound, bound])
      expect(await verify(service, token, { origin })).toMatchObject({ active: true });
  const evil = ['https://app.example.com.evil.example', 'null', '', '\u0007*'];
  for (const origin of ['https://new.example.com', ...evil]) {
    expect(await verify(service, unbound, { origin })).toMatchObject({ active: true });
    expect(await verify(service, bound, { origin })).toEqual({ active: false, reason: 'origin' });
  }
});

async function signInWith(body: Record<string, unknown>): Promise<Record<string, string>> {
  const answer = await service.call('POST', '/sdkusers/auth', { body });
  expect(answer.status).toBe(200);
  return answer.body;
}

const wanted: JWTVerifyOptions = {
  issuer: 'http://herald.example',
  audience: 'embedded-sdk',
  typ: 'embed+jwt',
  algorithms: ['ES256'],
};

test('an independent verifier accepts the token with the published keys, and its claims describe the user', async () => {
  const { accountUid, appUid } = service.app;
  const { authToken, userUid, expiresAt } = await signInWith({
    externalId: 'token',
    accountUids: [accountUid],
  });
  const keys = createRemoteJWKSet(new URL(`${service.apiUrl}/.well-known/jwks.json`));
  const { payload, protectedHeader } = await jwtVerify(String(authToken), keys, wanted);
  expect(payload).toEqual({
    iss: 'http://herald.example',
    aud: 'embedded-sdk',
    sub: userUid,
    app: appUid,
    accounts: [accountUid],
    epoch: 0,
    appEpoch: 0,
    key: expect.stringMatching(/^key_/),
    jti: expect.stringMatching(/^tok_/),
    iat: expect.any(Number),
    nbf: Number(payload.iat) - 5,
    exp: Number(payload.iat) + 15 * 60,
  });
  expect(Math.abs(Number(payload.iat) * 1_000 - Date.now())).toBeLessThan(60_000);
  expect(Date.parse(String(expiresAt))).toBe(Number(payload.exp) * 1_000);
  expect(protectedHeader).toEqual({ alg: 'ES256', typ: 'embed+jwt', kid: expect.any(String) });
});

test('the token contains no personal data', async () => {
  const { authToken } = await signInWith({
    userEmail: 'secret.person@private.example',
    name: 'Secret Name',
  });
  const text = JSON.stringify(decodeJwt(String(authToken)));
  for (const word of ['secret', 'person', 'private', 'Name', 'users.invalid']) {
    expect(text).not.toContain(word);
  }
});

test('each token of one user has its own jti', async () => {
  const tokens = await Promise.all(
    Array.from({ length: 20 }, () => signInWith({ externalId: 'many' })),
  );
  const ids = tokens.map(({ authToken }) => decodeJwt(String(authToken)).jti);
  expect(new Set(ids).size).toBe(20);
});

test('the published keys are cacheable, public, and have no private part', async () => {
  const answer = await service.raw('GET', '/.well-known/jwks.json', { headers: {} });
  expect(answer.status).toBe(200);
  expect(answer.headers.get('cache-control')).toMatch(/^public, max-age=\d+, stale-if-error=\d+$/);
  expect(answer.body).toEqual({
    keys: [
      {
        kty: 'EC',
        crv: 'P-256',
        alg: 'ES256',
        use: 'sig',
        kid: expect.any(String),
        x: expect.any(String),
        y: expect.any(String),
      },
    ],
  });
});

test('the private key is sealed at rest', async () => {
  await signInWith({ externalId: 'sealed' });
  const stored = await service.store.signingKeys.findOne({ generation: 1 });
  const { privateKey } = stored as { privateKey: { keyId: string; sealed: string } };
  expect(Object.keys(stored ?? {}).toSorted()).toEqual([
    '_id',
    'createdAt',
    'generation',
    'privateKey',
    'publicKey',
    'signsFrom',
  ]);
  expect(stored?.publicKey).not.toHaveProperty('d');
  const bytes = Buffer.from(privateKey.sealed, 'base64');
  expect(bytes.includes('PRIVATE KEY')).toBe(false);
  const place = `signingKeys/${stored?._id ?? ''}/privateKey`;
  expect(service.context.secretBox.open(privateKey, place)).toContain('PRIVATE KEY');
});

test('tokens of two applications have one signing key and different app claims', async () => {
  const other = await addApp(service);
  const answer = await other.call('POST', '/sdkusers/auth', { body: { externalId: 'token' } });
  expect(decodeJwt(String(answer.body['authToken']))['app']).toBe(other.appUid);
});
