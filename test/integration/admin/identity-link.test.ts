// An admin is linked to the first identity of the provider that signs in, until it is unlinked; and what the log and the
// person learn when the provider, or a setting for it, is at fault.
import type { AuditDocument } from '../../../lib/model/audit-log.ts';
import { createAdmin, unlinkAdmin } from '../../../lib/access/create-admin.ts';
import { httpLog } from '../../../lib/platform/logger.ts';
import { cookieOf } from '../../support/admin-client.ts';
import {
  type CertifiedProvider,
  type ClientAuthMethod,
  startCertifiedProvider,
} from '../../support/certified-provider.ts';
import { startIdentityProvider, type TestProvider } from '../../support/identity-provider.ts';
import {
  comeBack,
  oidcSettings,
  openPage,
  outcomeOf,
  type Visit,
  visitProvider,
} from '../../support/oidc-visit.ts';
import { startService, type TestService } from '../../support/service.ts';

let provider: TestProvider;
let service: TestService;

beforeAll(async () => {
  provider = await startIdentityProvider();
  service = await startService({ worker: false, env: oidcSettings(provider.issuer) });
});

afterAll(async () => {
  await service?.[Symbol.asyncDispose]();
  await provider?.[Symbol.asyncDispose]();
});

/** Creates an admin without a password or a linked identity. */
async function makeUnlinked(name: string): Promise<{ uid: string; mail: string }> {
  const mail = `${name}@example.com`;
  const wish = { email: mail, password: null, superuser: false };
  return { uid: (await createAdmin(service.store, wish))._id, mail };
}

/** Signs in a user of the provider, and returns the outcome. */
async function signInAs(
  sub: string,
  mail: string,
  more: object = {},
): Promise<ReturnType<typeof outcomeOf>> {
  provider.claims = { sub, email: mail, email_verified: true, ...more };
  return outcomeOf(await comeBack(service, await visitProvider(service)));
}

/** Returns an admin's audit rows, oldest first. */
async function rowsOf(uid: string): Promise<AuditDocument[]> {
  return service.store.auditLog.find({ 'target.uid': uid }).sort({ _id: 1 }).toArray();
}

test('the first sign-in links the admin to issuer and sub, and leaves an audit row', async () => {
  const { uid, mail } = await makeUnlinked('first');
  expect(await signInAs('sub-first', mail)).toBe('signed in');
  const identity = { issuer: provider.issuer, subject: 'sub-first' };
  expect(await service.store.admins.findOne({ _id: uid })).toMatchObject({ identity });
  expect(await signInAs('sub-first', mail)).toBe('signed in');
  const rows = await rowsOf(uid);
  expect(rows.map((row) => row.action)).toEqual([
    'admin.created',
    'admin.identity_linked',
    'admin.signed_in',
    'admin.signed_in',
  ]);
  expect(rows[1]).toMatchObject({ actor: { kind: 'admin', uid }, details: identity });
});

test('another person who gets the email at the provider cannot sign in as the admin', async () => {
  const { uid, mail } = await makeUnlinked('reused');
  expect(await signInAs('sub-old', mail)).toBe('signed in');
  expect(await signInAs('sub-new', mail)).toBe('refused');
  const identity = { issuer: provider.issuer, subject: 'sub-old' };
  expect(await service.store.admins.findOne({ _id: uid })).toMatchObject({ identity });
  expect((await rowsOf(uid)).at(-1)).toMatchObject({
    action: 'admin.sign_in_failed',
    details: { method: 'oidc', email: mail, reason: 'the admin is linked to another identity' },
  });
});

test('the same sub of another issuer is another person', async () => {
  const { uid, mail } = await makeUnlinked('moved');
  const identity = { issuer: 'https://former.example', subject: 'sub-moved' };
  await service.store.admins.updateOne({ _id: uid }, { $set: { identity } });
  expect(await signInAs('sub-moved', mail)).toBe('refused');
});

test("a person whose email changes at the provider signs in as before, even with another admin's email", async () => {
  const { uid, mail } = await makeUnlinked('renamed');
  const other = await makeUnlinked('taken');
  expect(await signInAs('sub-renamed', mail)).toBe('signed in');
  expect(await signInAs('sub-renamed', 'new-name@example.com')).toBe('signed in');
  expect(await signInAs('sub-renamed', other.mail)).toBe('signed in');
  expect(await signInAs('sub-renamed', other.mail, { email_verified: false })).toBe('refused');
  const [actions, others] = [await rowsOf(uid), await rowsOf(other.uid)];
  expect(actions.filter((row) => row.action === 'admin.signed_in')).toHaveLength(3);
  expect(others.map((row) => row.action)).toEqual(['admin.created']);
  expect(await signInAs('sub-other', other.mail)).toBe('signed in');
});

test('of two people with one email whose first sign-ins are concurrent, one is linked and the other rejected', async () => {
  const { uid, mail } = await makeUnlinked('raced');
  const visitAs = (sub: string): Promise<Visit> => {
    provider.claims = { sub, email: mail, email_verified: true };
    return visitProvider(service);
  };
  const visits = [await visitAs('sub-a'), await visitAs('sub-b')];
  const answers = await Promise.all(visits.map((visit) => comeBack(service, visit)));
  expect(new Set(answers.map(outcomeOf))).toEqual(new Set(['refused', 'signed in']));
  const linked = (await rowsOf(uid)).filter((row) => row.action === 'admin.identity_linked');
  expect(linked).toHaveLength(1);
});

test('of concurrent first sign-ins of one person with two emails, one admin is linked and the other rejected', async () => {
  const makers = Array.from({ length: 5 }, (_, i) => [
    makeUnlinked(`one-${i}`),
    makeUnlinked(`two-${i}`),
  ]);
  for (const [i, both] of makers.entries()) {
    const admins = await Promise.all(both);
    const visits: Visit[] = [];
    for (const { mail } of admins) {
      provider.claims = { sub: `sub-twice-${i}`, email: mail, email_verified: true };
      visits.push(await visitProvider(service));
    }
    const answers = await Promise.all(visits.map((visit) => comeBack(service, visit)));
    // The later sign-in is rejected, or finds the link and signs that admin in.
    const outcomes = new Set(answers.map(outcomeOf));
    expect(outcomes).toContain('signed in');
    expect(['signed in', 'refused']).toEqual(expect.arrayContaining([...outcomes]));
    const identity = { issuer: provider.issuer, subject: `sub-twice-${i}` };
    expect(await service.store.admins.countDocuments({ identity })).toBe(1);
  }
});

test('an unlinked admin is signed out, and the next sign-in links the admin again', async () => {
  const { uid, mail } = await makeUnlinked('recreated');
  expect(await signInAs('sub-before', mail)).toBe('signed in');
  await unlinkAdmin(service.store, { email: mail });
  expect(await service.store.adminSessions.countDocuments({ adminUid: uid })).toBe(0);
  expect(await signInAs('sub-after', mail)).toBe('signed in');
  expect(await signInAs('sub-before', mail)).toBe('refused');
  expect((await rowsOf(uid)).map((row) => row.action)).toContain('admin.identity_unlinked');
});

/** Signs in at a certified provider, and returns where that leads, with the admin of the session. */
async function signInAt(
  certified: CertifiedProvider,
  at: TestService,
  subject: string,
): Promise<{ outcome: ReturnType<typeof outcomeOf>; uid: string | undefined }> {
  const start = await openPage(`${at.apiUrl}/admin/api/oidc/start`);
  const there = await certified.signIn(start.headers.get('location') ?? '', subject);
  const back = await comeBack(at, { cookie: cookieOf(start), location: there });
  const session = await at.raw('GET', '/admin/api/session', {
    headers: { cookie: cookieOf(back) },
  });
  return { outcome: outcomeOf(back), uid: session.body['admin']?.['uid'] as string | undefined };
}

test.each<ClientAuthMethod>(['client_secret_post', 'client_secret_basic'])(
  'at an independent, certified provider that takes %s an admin also stays linked to the person who first signed in',
  async (method) => {
    const redirectUri = 'http://herald.example/admin/api/oidc/callback';
    // The provider warns about its development forms, which the test needs, and about Node 20.
    const warn = jest.spyOn(console, 'warn').mockImplementation(() => undefined);
    await using certified = await startCertifiedProvider(redirectUri, method);
    await using other = await startService({ worker: false, env: oidcSettings(certified.issuer) });
    const email = 'ada@example.com';
    const { _id: uid } = await createAdmin(other.store, {
      email,
      password: null,
      superuser: true,
    });
    certified.emails.set('person-1', email).set('person-2', email);
    expect(await signInAt(certified, other, 'person-1')).toEqual({ outcome: 'signed in', uid });
    expect(await signInAt(certified, other, 'person-2')).toEqual({
      outcome: 'refused',
      uid: undefined,
    });
    certified.emails.set('person-1', 'ada.byron@example.com');
    expect(await signInAt(certified, other, 'person-1')).toEqual({ outcome: 'signed in', uid });
    warn.mockRestore();
  },
);

const email = 'ada@example.com';
const step = (name: string, code: unknown, status: unknown) => ({ step: name, code, status });

test.each([
  [401, '{"error":"invalid_client"}', 'oidc.failed', step('token', 'invalid_client', 401)],
  [
    200,
    '<h1>We are back soon</h1>',
    'oidc.failed',
    step('token', 'OAUTH_RESPONSE_IS_NOT_JSON', 200),
  ],
  [429, '{"error":"slow_down"}', 'oidc.failed', step('token', 'slow_down', 429)],
  [503, '{"error":"later"}', 'oidc.failed', step('token', 'OAUTH_RESPONSE_IS_NOT_CONFORM', 503)],
  [404, '<h1>None</h1>', 'oidc.failed', step('token', 'OAUTH_RESPONSE_IS_NOT_JSON', 404)],
  [400, '{"error":"invalid_grant"}', 'oidc.refused', step('token', 'invalid_grant', 400)],
])(
  'when the token endpoint responds %d %s the admin is refused or gets 503, logged as %s',
  async (...row) => {
    const [status, body, event, facts] = row;
    using warn = jest.spyOn(httpLog, 'warn');
    provider.claims = { email, email_verified: true };
    provider.tokenFault = [status, body];
    const visit = await visitProvider(service);
    const answer = await comeBack(service, visit);
    provider.tokenFault = null;
    if (event === 'oidc.refused') expect(outcomeOf(answer)).toBe('refused');
    else expect([answer.status, answer.headers.getSetCookie()]).toEqual([503, []]);
    const line = { requestId: expect.any(String), issuer: provider.issuer, ...facts };
    expect(warn).toHaveBeenCalledWith(expect.objectContaining(line), event);
    expect(JSON.stringify(warn.mock.calls)).not.toContain(
      new URL(visit.location).searchParams.get('code'),
    );
  },
);

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
    provider.tokenFault = null;
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
  using warn = jest.spyOn(httpLog, 'warn');
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
  using warn = jest.spyOn(httpLog, 'warn');
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
