// The verify call for SDK back ends, and a verifier that shares no code with the service.
import { webcrypto } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { startService, type TestService } from '../../support/service.ts';
import { makeAccount } from './account-calls.ts';
import { expectProblem, makeKey } from './problems.ts';
import { makeAgent } from './resource-calls.ts';
import { signIn, verify } from './token-forge.ts';

let service: TestService;
// A fixed clock that tests can move, at a whole second like the times of a token.
const startedAtMs = Math.floor(Date.now() / 1_000) * 1_000;
let nowMs = startedAtMs;
const clock = { now: (): Date => new Date(nowMs) };

beforeAll(async () => {
  service = await startService({ worker: false, clock });
});

beforeEach(() => {
  nowMs = startedAtMs;
});

afterAll(async () => {
  await service?.[Symbol.asyncDispose]();
});

test('the response for a valid token has its user, expiry and accounts', async () => {
  const { accountUid } = service.app;
  const body = { externalId: 'verified', accountUids: [accountUid] };
  const signedIn = await service.call('POST', '/sdkusers/auth', { body });
  const answer = await verify(service, String(signedIn.body['authToken']));
  expect(answer).toEqual({
    active: true,
    userUid: signedIn.body['userUid'],
    accountUids: [accountUid],
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
      expect(await verify(service, token, uid)).toMatchObject({ active: true, agent });
    }
  }
});

test('the accounts in the token count, not those that the user got later', async () => {
  const accountUid = await makeAccount(service);
  const agentUid = await makeAgent(service, { accountUids: [accountUid] });
  const before = await signIn(service, { externalId: 'joiner' });
  const after = await signIn(service, { externalId: 'joiner', accountUids: [accountUid] });
  expect(await verify(service, before, agentUid)).toMatchObject({ agent: { allowed: false } });
  expect(await verify(service, after, agentUid)).toMatchObject({ agent: { allowed: true } });
});

test("another application's agent gets the same response as an unknown one", async () => {
  const agentUid = await makeAgent(service);
  await service.store.agents.updateOne({ _id: agentUid }, { $set: { appUid: 'app_other' } });
  const token = await signIn(service, { externalId: 'stranger' });
  const answer = await verify(service, token, agentUid);
  expect(answer['agent']).toEqual({ uid: agentUid, allowed: false });
});

test('the response for an inactive token reveals nothing about an agent', async () => {
  const answer = await verify(service, 'no token', await makeAgent(service));
  expect(answer).toEqual({ active: false, reason: 'invalid' });
});

test('the verify call needs a key of the application, and its responses must not be stored', async () => {
  const body = { authToken: await signIn(service, { externalId: 'checked' }) };
  const path = '/sdkusers/token/verify';
  expectProblem(await service.call('POST', path, { body, headers: {} }), 401, 'unauthenticated');
  const headers = { 'x-api-key': await makeKey(service, { scopes: ['admin'] }) };
  expectProblem(await service.call('POST', path, { body, headers }), 403, 'insufficient_scope');
  const taken = await service.call('POST', path, { body });
  expect(taken.headers.get('cache-control')).toBe('no-store');
});

test('the longest possible token is under 8 KiB and active', async () => {
  const accountUids = await Promise.all(Array.from({ length: 100 }, () => makeAccount(service)));
  const token = await signIn(service, { externalId: 'everywhere', accountUids });
  expect(token.length).toBeGreaterThan(4_000);
  expect(token.length).toBeLessThan(8 * 1_024);
  expect(await verify(service, token)).toMatchObject({ active: true, accountUids });
});

/** Verifies a token with only the Web Cryptography API and the published keys, as any client could. */
async function verifyIndependently(token: string): Promise<Record<string, unknown> | null> {
  const [header = '', payload = '', signature = ''] = token.split('.');
  const parse = (part: string): Record<string, unknown> =>
    JSON.parse(Buffer.from(part, 'base64url').toString()) as Record<string, unknown>;
  const { alg, kid, typ } = parse(header);
  const response = await fetch(`${service.apiUrl}/.well-known/jwks.json`);
  const { keys } = (await response.json()) as { keys: (webcrypto.JsonWebKey & { kid: string })[] };
  const jwk = keys.find((key) => key.kid === kid);
  if (alg !== 'ES256' || typ !== 'embed+jwt' || jwk === undefined) return null;
  const { subtle } = webcrypto;
  const curve = { name: 'ECDSA', namedCurve: 'P-256' };
  const key = await subtle.importKey('jwk', jwk, curve, false, ['verify']);
  const bytes = Buffer.from(signature, 'base64url');
  const input = Buffer.from(`${header}.${payload}`);
  const good = await subtle.verify({ name: 'ECDSA', hash: 'SHA-256' }, key, bytes, input);
  const claims = parse(payload);
  const now = nowMs / 1_000;
  const inTime = Number(claims['nbf']) <= now + 5 && Number(claims['exp']) > now;
  const forUs = claims['iss'] === 'http://herald.example' && claims['aud'] === 'embedded-sdk';
  return good && inTime && forUs ? claims : null;
}

test('an independent implementation accepts a valid token and rejects a changed one', async () => {
  const token = await signIn(service, { externalId: 'independent' });
  const claims = await verifyIndependently(token);
  expect(claims).toMatchObject({ app: service.app.appUid, accounts: [], epoch: 0 });
  expect(claims?.['sub']).toEqual((await verify(service, token))['userUid']);
  const [header, payload, signature] = token.split('.');
  const changed = Buffer.from(JSON.stringify({ ...claims, sub: 'usr_x' })).toString('base64url');
  expect(await verifyIndependently(`${header}.${changed}.${signature}`)).toBeNull();
  expect(await verifyIndependently(`${header}.${payload}.${'A'.repeat(86)}`)).toBeNull();
});
