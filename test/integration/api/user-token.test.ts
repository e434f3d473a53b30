// The token of a sign-in, as verifiers check it with only the published keys.
import { createPublicKey, verify } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createRemoteJWKSet, decodeJwt, jwtVerify, type JWTVerifyOptions } from 'jose';
import { addApp } from '../../support/add-app.ts';
import { startService, type TestService } from '../../support/service.ts';

let service: TestService;

beforeAll(async () => {
  service = await startService({ worker: false });
});

afterAll(async () => {
  await service?.[Symbol.asyncDispose]();
});

async function signIn(body: Record<string, unknown>): Promise<Record<string, string>> {
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
  const { authToken, userUid, expiresAt } = await signIn({
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
    jti: expect.stringMatching(/^tok_/),
    iat: expect.any(Number),
    nbf: Number(payload.iat) - 5,
    exp: Number(payload.iat) + 15 * 60,
  });
  expect(Math.abs(Number(payload.iat) * 1_000 - Date.now())).toBeLessThan(60_000);
  expect(Date.parse(String(expiresAt))).toBe(Number(payload.exp) * 1_000);
  expect(protectedHeader).toEqual({ alg: 'ES256', typ: 'embed+jwt', kid: expect.any(String) });
});

const fromIat = (seconds: number) => (iat: number) => ({
  currentDate: new Date((iat + seconds) * 1_000),
});

test.each<[string, (iat: number) => JWTVerifyOptions, string]>([
  ['another audience', () => ({ audience: 'other' }), 'ERR_JWT_CLAIM_VALIDATION_FAILED'],
  ['another issuer', () => ({ issuer: 'http://other.example' }), 'ERR_JWT_CLAIM_VALIDATION_FAILED'],
  ['another type', () => ({ typ: 'JWT' }), 'ERR_JWT_CLAIM_VALIDATION_FAILED'],
  ['another algorithm', () => ({ algorithms: ['RS256'] }), 'ERR_JOSE_ALG_NOT_ALLOWED'],
  ['the time of its end', fromIat(15 * 60), 'ERR_JWT_EXPIRED'],
  ['a time before its start', fromIat(-6), 'ERR_JWT_CLAIM_VALIDATION_FAILED'],
])('the token is refused for %s', async (_what, changeOf, code) => {
  const { authToken } = await signIn({ externalId: 'negative' });
  const change = changeOf(Number(decodeJwt(String(authToken)).iat));
  const keys = createRemoteJWKSet(new URL(`${service.apiUrl}/.well-known/jwks.json`));
  await expect(jwtVerify(String(authToken), keys, { ...wanted, ...change })).rejects.toMatchObject({
    code,
  });
});

test('a verifier without tolerance whose clock is five seconds behind accepts a new token', async () => {
  const { authToken } = await signIn({ externalId: 'behind' });
  const { iat = 0 } = decodeJwt(String(authToken));
  const keys = createRemoteJWKSet(new URL(`${service.apiUrl}/.well-known/jwks.json`));
  const at = (seconds: number): JWTVerifyOptions => ({
    ...wanted,
    currentDate: new Date(seconds * 1_000),
  });
  await jwtVerify(String(authToken), keys, at(iat - 5));
  await expect(jwtVerify(String(authToken), keys, at(iat - 6))).rejects.toMatchObject({
    claim: 'nbf',
  });
});

test('the signature is r and s over header and payload, verifiable with the published point', async () => {
  const { authToken } = await signIn({ externalId: 'by-hand' });
  const { keys } = (await service.raw('GET', '/.well-known/jwks.json')).body as unknown as {
    keys: Record<string, string>[];
  };
  const [head = '', payload = '', signature = ''] = String(authToken).split('.');
  const { kid } = JSON.parse(Buffer.from(head, 'base64url').toString()) as { kid: string };
  const jwk = keys.find((key) => key['kid'] === kid);
  const key = createPublicKey({ key: jwk ?? {}, format: 'jwk' });
  const bytes = Buffer.from(signature, 'base64url');
  const check = (text: string): boolean =>
    verify('sha256', Buffer.from(text), { key, dsaEncoding: 'ieee-p1363' }, bytes);
  expect(bytes).toHaveLength(64);
  expect(check(`${head}.${payload}`)).toBe(true);
  expect(check(`${head}.${payload}A`)).toBe(false);
});

test('the token contains no personal data', async () => {
  const { authToken } = await signIn({
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
    Array.from({ length: 20 }, () => signIn({ externalId: 'many' })),
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
  await signIn({ externalId: 'sealed' });
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

test('concurrent first sign-ins on a new installation create one signing key', async () => {
  await using fresh = await startService({
    worker: false,
    env: { HERALD_USER_TOKEN_LIFETIME: '1m' },
  });
  const answers = await Promise.all(
    Array.from({ length: 50 }, (_, i) =>
      fresh.call('POST', '/sdkusers/auth', { body: { externalId: `u${i}` } }),
    ),
  );
  expect(new Set(answers.map((answer) => answer.status))).toEqual(new Set([200]));
  expect(await fresh.store.signingKeys.countDocuments()).toBe(1);
  const { exp, iat } = decodeJwt(String(answers[0]?.body['authToken']));
  expect(Number(exp) - Number(iat)).toBe(60);
});
