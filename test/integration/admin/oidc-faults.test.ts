// What the log and the person learn when the identity provider, or a setting for it, is at fault.
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { httpLog } from '../../../lib/platform/logger.ts';
import { startCertifiedProvider } from '../../support/certified-provider.ts';
import { startIdentityProvider, type TestProvider } from '../../support/identity-provider.ts';
import { comeBack, oidcSettings, openPage, visitProvider } from '../../support/oidc-visit.ts';
import { startService, type TestService } from '../../support/service.ts';

let provider: TestProvider;
let service: TestService;
const email = 'ada@example.com';

beforeAll(async () => {
  provider = await startIdentityProvider();
  service = await startService({ worker: false, env: oidcSettings(provider.issuer) });
});

beforeEach(() => {
  const claims = { email, email_verified: true };
  Object.assign(provider, { claims, tokenFault: null });
});

afterAll(async () => {
  await service?.[Symbol.asyncDispose]();
  await provider?.[Symbol.asyncDispose]();
});

const step = (name: string, code: unknown, status: unknown) => ({ step: name, code, status });

test.each([
  [401, '{"error":"invalid_client"}', 'oidc.failed', step('token', 'invalid_client', 401)],
  [503, '{"error":"later"}', 'oidc.failed', step('token', 'OAUTH_RESPONSE_IS_NOT_CONFORM', 503)],
  [404, '<h1>None</h1>', 'oidc.failed', step('token', 'OAUTH_RESPONSE_IS_NOT_JSON', 404)],
  [400, '{"error":"invalid_grant"}', 'oidc.refused', step('token', 'invalid_grant', 400)],
])('a token endpoint that responds %d %s is logged as %s', async (...row) => {
  const [status, body, event, facts] = row;
  using warn = vi.spyOn(httpLog, 'warn');
  provider.tokenFault = [status, body];
  const visit = await visitProvider(service);
  await comeBack(service, visit);
  const line = { requestId: expect.any(String), issuer: provider.issuer, ...facts };
  expect(warn).toHaveBeenCalledWith(expect.objectContaining(line), event);
  expect(JSON.stringify(warn.mock.calls)).not.toContain(
    new URL(visit.location).searchParams.get('code'),
  );
});

test.each([
  ['another client secret', { HERALD_OIDC_CLIENT_SECRET: 'wrong' }, 'HERALD_OIDC_CLIENT_SECRET'],
  ['another client id', { HERALD_OIDC_CLIENT_ID: 'wrong' }, 'HERALD_OIDC_CLIENT_ID'],
])(
  'with %s the person learns which setting to check, and no secret',
  async (_name, env, setting) => {
    provider.tokenFault = [401, '{"error":"invalid_client"}'];
    const settings: Record<string, string> = { ...oidcSettings(provider.issuer), ...env };
    await using wrong = await startService({ worker: false, env: settings });
    const start = await openPage(`${wrong.apiUrl}/admin/api/oidc/start`);
    const [cookie = ''] = start.headers.getSetCookie();
    const state = new URL(start.headers.get('location') ?? '').searchParams.get('state') ?? '';
    const location = `http://herald.example/admin/api/oidc/callback?code=x&state=${state}`;
    const answer = await comeBack(wrong, { cookie: cookie.split(';')[0] ?? '', location });
    const { detail } = (await answer.json()) as { detail: string };
    expect(answer.status).toBe(503);
    expect(detail).toContain('(token: status 401, invalid_client)');
    expect(detail).toContain(setting);
    expect(detail).not.toContain(settings['HERALD_OIDC_CLIENT_SECRET']);
  },
);

test.each([
  ['a path without a provider', '/realm', { code: 'OAUTH_RESPONSE_IS_NOT_CONFORM', status: 404 }],
  [
    'an issuer that calls itself otherwise',
    '/',
    { code: 'OAUTH_JSON_ATTRIBUTE_COMPARISON_FAILED' },
  ],
])('%s fails at the discovery, with the setting to check', async (_name, path, facts) => {
  using warn = vi.spyOn(httpLog, 'warn');
  const other =
    path === '/' ? provider.issuer.replace('127.0.0.1', 'localhost') : provider.issuer + path;
  await using wrong = await startService({ worker: false, env: oidcSettings(other) });
  const { status, body } = await wrong.raw('GET', '/admin/api/oidc/start');
  expect(status).toBe(503);
  expect(body['detail']).toContain('an operator should check HERALD_OIDC_ISSUER');
  const line = { issuer: other, step: 'discovery', ...facts };
  expect(warn).toHaveBeenCalledWith(expect.objectContaining(line), 'oidc.failed');
});

test('with the wrong secret, an independent provider refuses the client, and the log says so', async () => {
  const redirectUri = 'http://herald.example/admin/api/oidc/callback';
  await using certified = await startCertifiedProvider(redirectUri, 'client_secret_basic');
  using warn = vi.spyOn(httpLog, 'warn');
  const env = { ...oidcSettings(certified.issuer), HERALD_OIDC_CLIENT_SECRET: 'wrong' };
  await using wrong = await startService({ worker: false, env });
  const start = await openPage(`${wrong.apiUrl}/admin/api/oidc/start`);
  const [cookie = ''] = start.headers.getSetCookie();
  const location = await certified.signIn(start.headers.get('location') ?? '', email);
  const answer = await comeBack(wrong, { cookie: cookie.split(';')[0] ?? '', location });
  expect(answer.status).toBe(503);
  expect(warn).toHaveBeenCalledWith(
    expect.objectContaining({ issuer: certified.issuer, step: 'token', status: 401 }),
    'oidc.failed',
  );
});

test.each([
  ['no email', { email_verified: true }, 'the provider returned no valid email'],
  ['no email_verified', { email }, 'the provider returned no email_verified'],
  [
    'an unverified email',
    { email, email_verified: false },
    'the provider has not verified the email',
  ],
])('with %s the log has the reason', async (_name, claims, reason) => {
  using warn = vi.spyOn(httpLog, 'warn');
  provider.claims = claims;
  provider.userInfo = { sub: 'user-1', ...claims };
  await comeBack(service, await visitProvider(service));
  expect(warn).toHaveBeenCalledWith(expect.objectContaining({ reason }), 'oidc.refused');
});
