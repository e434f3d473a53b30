// Signing in through an identity provider: who gets a session, and which responses are rejected.
import { createAdmin } from '../../../lib/access/create-admin.ts';
import { httpLog } from '../../../lib/platform/logger.ts';
import { cookieOf } from '../../support/admin-client.ts';
import { startService, type TestService } from '../../support/service.ts';
import { expectProblem } from '../api/problems.ts';
import { startIdentityProvider, type TestProvider } from '../../support/identity-provider.ts';
import {
  comeBack,
  oidcSettings,
  openPage,
  outcomeOf,
  visitProvider,
} from '../../support/oidc-visit.ts';

let provider: TestProvider;
let service: TestService;
const email = 'ada@example.com';

beforeAll(async () => {
  provider = await startIdentityProvider();
  service = await startService({ worker: false, env: oidcSettings(provider.issuer) });
  await createAdmin(service.store, { email, password: null, superuser: true });
});

beforeEach(() => {
  const claims = { email, email_verified: true };
  Object.assign(provider, { claims, userInfo: {}, forged: false, silent: false, tokenFault: null });
});

afterAll(async () => {
  await service?.[Symbol.asyncDispose]();
  await provider?.[Symbol.asyncDispose]();
});

function expectRefused(answer: Response): void {
  expect(outcomeOf(answer)).toBe('refused');
  expect(answer.headers.getSetCookie()).toEqual([
    expect.stringMatching(/^__Host-herald_oidc=; Max-Age=0; /),
  ]);
}

async function expectUnavailable(answer: Response): Promise<void> {
  const { status, headers } = answer;
  expectProblem({ status, headers, body: (await answer.json()) as never }, 503, 'unavailable');
  expect(headers.getSetCookie()).toEqual([]);
}

test('the admin with a verified email gets a session, in any spelling of the email', async () => {
  provider.claims = { email: 'Ada@EXAMPLE.com', email_verified: true };
  const visit = await visitProvider(service);
  expect(visit.location).toMatch(/^http:\/\/herald\.example\/admin\/api\/oidc\/callback\?code=/);
  const back = await comeBack(service, visit);
  expect(outcomeOf(back)).toBe('signed in');
  const [session = '', device = '', gone = '', ...more] = back.headers.getSetCookie();
  expect(more).toEqual([]);
  expect(session).toMatch(/^__Host-herald_admin=.{43}; Max-Age=43200; HttpOnly; SameSite=Strict; /);
  expect(device).toMatch(/^__Host-herald_device=/);
  expect(gone).toMatch(/^__Host-herald_oidc=; Max-Age=0; /);
  const cookie = session.split(';')[0] ?? '';
  const who = await service.raw('GET', '/admin/api/session', { headers: { cookie } });
  expect(who.body['admin']).toMatchObject({ email, hasPassword: false });
});

test('the redirect to the provider has state, nonce and PKCE, and the cookie reveals none of them', async () => {
  const start = await openPage(`${service.apiUrl}/admin/api/oidc/start`);
  const query = new URL(start.headers.get('location') ?? '').searchParams;
  expect(query.get('code_challenge_method')).toBe('S256');
  const [cookie = ''] = start.headers.getSetCookie();
  expect(cookie).toMatch(/^__Host-herald_oidc=.*; HttpOnly; SameSite=Lax; Path=\/; Secure$/);
  for (const name of ['state', 'nonce', 'code_challenge']) {
    expect(query.get(name)).toMatch(/^[A-Za-z0-9_-]{43}$/);
    expect(cookie).not.toContain(query.get(name));
  }
});

test.each<[string, Record<string, unknown>, string?]>([
  [
    'an e-mail that is not verified',
    { email, email_verified: false },
    'the provider has not verified the email',
  ],
  ['an e-mail without email_verified', { email }, 'the provider returned no email_verified'],
  ['an e-mail whose email_verified is the text "false"', { email, email_verified: 'false' }],
  ['an e-mail whose email_verified is 1', { email, email_verified: 1 }],
  ['no e-mail', { email_verified: true }, 'the provider returned no valid email'],
  ['a malformed e-mail', { email: 'ada', email_verified: true }],
  ['an e-mail that no admin has', { sub: 'eve', email: 'eve@example.com', email_verified: true }],
  ['another nonce', { email, email_verified: true, nonce: 'other' }],
  ['another audience', { email, email_verified: true, aud: 'other' }],
  ['another issuer', { email, email_verified: true, iss: 'https://evil.example' }],
  ['an expired token', { email, email_verified: true, exp: 1_000 }],
])('%s is refused', async (_what, claims, reason = expect.any(String) as string) => {
  using warn = jest.spyOn(httpLog, 'warn');
  provider.claims = claims;
  provider.userInfo = { sub: 'user-1', ...claims };
  expectRefused(await comeBack(service, await visitProvider(service)));
  expect(warn).toHaveBeenCalledWith(expect.objectContaining({ reason }), 'oidc.refused');
});

test('an email_verified that is the text "true" counts, from the ID token and from userinfo', async () => {
  provider.claims = { email, email_verified: 'true' };
  expect(outcomeOf(await comeBack(service, await visitProvider(service)))).toBe('signed in');
  provider.claims = {};
  provider.userInfo = { sub: 'user-1', email, email_verified: 'true' };
  expect(outcomeOf(await comeBack(service, await visitProvider(service)))).toBe('signed in');
});

test('an email missing in the ID token is read from userinfo, and counts if that is the same user', async () => {
  provider.claims = {};
  provider.userInfo = { sub: 'user-1', email, email_verified: true };
  expect(outcomeOf(await comeBack(service, await visitProvider(service)))).toBe('signed in');
  for (const userInfo of [
    { sub: 'user-2', email, email_verified: true },
    { sub: 'user-1', email, email_verified: false },
    { sub: 'user-1' },
    { email, email_verified: true },
  ]) {
    provider.userInfo = userInfo;
    expectRefused(await comeBack(service, await visitProvider(service)));
  }
});

test('an email_verified missing in the ID token is read from userinfo, together with its email', async () => {
  provider.claims = { email };
  provider.userInfo = { sub: 'user-1', email, email_verified: true };
  expect(outcomeOf(await comeBack(service, await visitProvider(service)))).toBe('signed in');
  provider.userInfo = { sub: 'user-1', email_verified: true };
  expectRefused(await comeBack(service, await visitProvider(service)));
});

test('an ID token signed with another key is refused', async () => {
  provider.forged = true;
  expectRefused(await comeBack(service, await visitProvider(service)));
});

test("the provider's response is accepted once, in the browser and for the request that it belongs to", async () => {
  const [mine, other] = [await visitProvider(service), await visitProvider(service)];
  expectRefused(await comeBack(service, { ...mine, cookie: '' }));
  expectRefused(await comeBack(service, { ...mine, cookie: other.cookie }));
  const at = mine.cookie.length - 20;
  const changed = mine.cookie[at] === 'A' ? 'B' : 'A';
  const tampered = mine.cookie.slice(0, at) + changed + mine.cookie.slice(at + 1);
  expectRefused(await comeBack(service, { ...mine, cookie: tampered }));
  expectRefused(await comeBack(service, { ...mine, cookie: `${mine.cookie}; ${mine.cookie}` }));
  const altered = mine.location.replace(/state=.*/, 'state=x');
  expectRefused(await comeBack(service, { ...mine, location: altered }));
  const twice = `${mine.location}&code=other`;
  expectRefused(await comeBack(service, { ...mine, location: twice }));
  expect(provider.refusals).toEqual([]);
  expect(outcomeOf(await comeBack(service, mine))).toBe('signed in');
  expectRefused(await comeBack(service, mine));
  expect(provider.refusals).toEqual(['unknown code']);
});

test('an address causes at most sixty requests per minute to the provider, whatever else was rejected there', async () => {
  const env = { ...oidcSettings(provider.issuer), HERALD_FAILURES_PER_MINUTE: '1' };
  // A fixed clock, so that the minute does not end on any machine.
  const now = new Date();
  await using limited = await startService({ worker: false, env, clock: { now: () => now } });
  await createAdmin(limited.store, { email, password: null, superuser: true });
  const address = '198.51.100.1';
  const headers = { 'x-api-key': 'ak_wrong', 'x-forwarded-for': address };
  for (const status of [401, 429]) {
    expect((await limited.call('GET', '/webhooks', { headers })).status).toBe(status);
  }
  const mine = await visitProvider(limited, { address });
  expect(outcomeOf(await comeBack(limited, mine, { address }))).toBe('signed in');
  const { cookie, location } = await visitProvider(limited, { address });
  const guess = { cookie, location: location.replace(/code=[^&]*/, 'code=guess') };
  const askedBefore = provider.refusals.length;
  for (let i = 0; i < 57; i += 1) expectRefused(await comeBack(limited, guess, { address }));
  const limitedTo = async (answer: Promise<Response>): Promise<void> => {
    const { status, headers: answerHeaders } = await answer;
    expect([status, answerHeaders.has('retry-after')]).toEqual([429, true]);
  };
  await limitedTo(comeBack(limited, guess, { address }));
  await limitedTo(openPage(`${limited.apiUrl}/admin/api/oidc/start`, { address }));
  expect(provider.refusals.length - askedBefore).toBe(57);
  expect(outcomeOf(await comeBack(limited, await visitProvider(limited)))).toBe('signed in');
});

test('a sign-in ends the session that the browser had at its start, and no other', async () => {
  const signIn = async (cookie = ''): Promise<string> => {
    // Our own page starts the sign-in. The redirect back comes from another site, without the cookie.
    const back = await comeBack(service, await visitProvider(service, { cookie }));
    expect(outcomeOf(back)).toBe('signed in');
    return cookieOf(back);
  };
  const [mine, other] = [await signIn(), await signIn()];
  const again = await signIn(mine);
  const statusOf = async (cookie: string): Promise<number> =>
    (await service.raw('GET', '/admin/api/session', { headers: { cookie } })).status;
  expect([await statusOf(mine), await statusOf(other), await statusOf(again)]).toEqual([
    401, 200, 200,
  ]);
});

test("the provider's response is rejected after ten minutes", async () => {
  const visit = await visitProvider(service);
  const clock = service.context.clock;
  try {
    service.context.clock = { now: () => new Date(Date.now() + 10 * 60_000 + 1) };
    expectRefused(await comeBack(service, visit));
  } finally {
    service.context.clock = clock;
  }
});

test('while the provider does not respond sign-ins get 503, and they work again once it does', async () => {
  const visit = await visitProvider(service);
  provider.silent = true;
  await expectUnavailable(await comeBack(service, visit));
  provider.silent = false;
  expect(outcomeOf(await comeBack(service, visit))).toBe('signed in');
});

test('an unreachable provider gets 503, and without a provider the paths get 404', async () => {
  const gone = await startIdentityProvider();
  await gone[Symbol.asyncDispose]();
  await using away = await startService({ worker: false, env: oidcSettings(gone.issuer) });
  expectProblem(await away.raw('GET', '/admin/api/oidc/start'), 503, 'unavailable');
  expect((await away.raw('GET', '/admin/api/sign-in-methods')).body).toMatchObject({ oidc: true });
  await using without = await startService({ worker: false });
  for (const path of ['start', 'callback?code=x']) {
    expectProblem(await without.raw('GET', `/admin/api/oidc/${path}`), 404, 'not_found');
  }
  const methods = await without.raw('GET', '/admin/api/sign-in-methods', { headers: {} });
  expect(methods.body).toEqual({ password: true, oidc: false });
});

test('a sign-in that the provider rejects is rejected', async () => {
  const { cookie, location } = await visitProvider(service);
  const state = new URL(location).searchParams.get('state') ?? '';
  const denied = `http://herald.example/admin/api/oidc/callback?error=access_denied&state=${state}`;
  expectRefused(await comeBack(service, { cookie, location: denied }));
});
