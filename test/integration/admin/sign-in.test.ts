// Signing in to the admin area: the cookie, the life of a session, refused sign-ins, and an admin's own sessions.
import { scryptSync } from 'node:crypto';
import { currentCost, hashPassword } from '../../../lib/access/password.ts';
import { createAdmin } from '../../../lib/access/create-admin.ts';
import { cookieOf, makeTestAdmin, signIn, type TestAdmin } from '../../support/admin-client.ts';
import { startService } from '../../support/service.ts';
import { useService } from '../../support/use-service.ts';
import { expectProblem, itemsOf } from '../api/problems.ts';

let ada: TestAdmin;

const service = useService({ worker: false });

beforeAll(async () => {
  ada = await makeTestAdmin(service);
});

afterEach(() => {
  currentCost.log2N = 12;
});

async function post(body: unknown, headers: Record<string, string> = {}) {
  return service.raw('POST', '/admin/api/session', { headers, body });
}

test('a sign-in sets a session cookie that only this host gets and no script can read', async () => {
  const { answer } = await signIn(service, ada);
  expect(answer.status).toBe(200);
  const [cookie = '', device = '', ...more] = answer.headers.getSetCookie();
  expect(more).toEqual([]);
  expect(cookie).toMatch(/^__Host-herald_admin=[A-Za-z0-9_-]{43}; /);
  const attributes = cookie.split('; ').slice(1).sort();
  expect(attributes).toEqual(['HttpOnly', 'Max-Age=43200', 'Path=/', 'SameSite=Strict', 'Secure']);
  expect(device).toMatch(
    /^__Host-herald_device=\S+; Max-Age=15552000; HttpOnly; SameSite=Strict; /,
  );
  expect(answer.body).toMatchObject({
    admin: { uid: ada.admin._id, email: ada.email, superuser: true, hasPassword: true },
    csrfToken: expect.stringMatching(/^[A-Za-z0-9_-]{43}$/),
    idleTimeoutSeconds: 3_600,
  });
  expect(answer.text).not.toContain(cookieOf(answer).split('=')[1]);
});

test('the email is accepted in any case, and the password in any form of the same characters', async () => {
  const email = 'umlaut@example.com';
  await createAdmin(service.store, { email, password: 'Zoë liest Bücher', superuser: false });
  const decomposed = 'Zoë liest Bücher'.normalize('NFD');
  expect(decomposed).not.toBe('Zoë liest Bücher');
  const answer = await post({ email: 'Umlaut@Example.COM', password: decomposed });
  expect(answer.status).toBe(200);
});

test('a wrong password and an unknown email get the same response after the same work', async () => {
  currentCost.log2N = 16;
  const emails = { known: 'somebody@example.com', unknown: 'nobody@example.com' };
  await createAdmin(service.store, {
    email: emails.known,
    password: 'a password of somebody',
    superuser: false,
  });
  // The fastest of three, because a busy machine may delay one of them.
  const leastMs = { known: Infinity, unknown: Infinity };
  const bodies = new Set<string>();
  for (const who of ['known', 'unknown', 'known', 'unknown', 'known', 'unknown'] as const) {
    const startedAt = performance.now();
    const answer = await post({ email: emails[who], password: 'not the password' });
    leastMs[who] = Math.min(leastMs[who], performance.now() - startedAt);
    expectProblem(answer, 401, 'sign_in_refused');
    expect(answer.headers.getSetCookie()).toEqual([]);
    bodies.add(JSON.stringify({ ...answer.body, requestId: null }));
  }
  expect(bodies.size).toBe(1);
  expect(leastMs.unknown).toBeGreaterThan(leastMs.known / 2);
});

test('the session shows who is signed in, and ends when the admin signs out', async () => {
  const { headers } = await signIn(service, ada);
  const who = await service.raw('GET', '/admin/api/session', { headers });
  expect(who.body).toMatchObject({
    admin: { email: ada.email },
    csrfToken: headers['x-csrf-token'],
  });
  const out = await service.raw('DELETE', '/admin/api/session', { headers });
  expect(out.status).toBe(204);
  expect(out.headers.getSetCookie()[0]).toMatch(/^__Host-herald_admin=; Max-Age=0; .*Secure/);
  const after = await service.raw('GET', '/admin/api/session', { headers });
  expectProblem(after, 401, 'not_signed_in');
  expect(after.headers.get('www-authenticate')).toMatch(/^Session /);
});

test('a sign-in ends the session that the browser had before, and no other', async () => {
  const [mine, other] = [await signIn(service, ada), await signIn(service, ada)];
  const { email, password } = await makeTestAdmin(service);
  const body = { email, password };
  const { headers } = mine;
  const again = await service.raw('POST', '/admin/api/session', { headers, body });
  expect(again.status).toBe(200);
  const ended = await service.raw('GET', '/admin/api/session', { headers });
  expectProblem(ended, 401, 'not_signed_in');
  const left = await service.raw('GET', '/admin/api/session', { headers: other.headers });
  expect(left.status).toBe(200);
});

test("signing out everywhere ends every session of the admin and no other admin's", async () => {
  const grace = await makeTestAdmin(service);
  const one = await signIn(service, grace);
  expect((await grace.call('DELETE', '/sessions')).status).toBe(204);
  expectProblem(await grace.call('GET', '/session'), 401, 'not_signed_in');
  const other = await service.raw('GET', '/admin/api/session', { headers: one.headers });
  expectProblem(other, 401, 'not_signed_in');
  expect((await ada.call('GET', '/session')).status).toBe(200);
});

test('a session ends an hour after its last use and twelve hours after its start', async () => {
  const from = (ms: number): Date => new Date(Date.now() + ms);
  const cases = [
    [() => ({ lastUsedAt: from(-3_600_000) }), 401],
    [() => ({ expiresAt: from(0), lastUsedAt: from(0) }), 401],
    [() => ({ lastUsedAt: from(-3_500_000) }), 200],
    [() => ({ expiresAt: from(60_000) }), 200],
  ] as const;
  for (const [change, status] of cases) {
    const grace = await signIn(service, ada);
    const newest = await service.store.adminSessions.findOne({}, { sort: { createdAt: -1 } });
    await service.store.adminSessions.updateOne({ _id: newest?._id ?? '' }, { $set: change() });
    const { headers } = grace;
    expect((await service.raw('GET', '/admin/api/session', { headers })).status).toBe(status);
  }
});

test('the database contains neither the session nor the password', async () => {
  const { headers } = await signIn(service, ada);
  const token = headers['cookie']?.split('=')[1] ?? '';
  const sessions = await service.store.adminSessions.find({}).toArray();
  expect(JSON.stringify(sessions)).not.toContain(token);
  const admin = await service.store.admins.findOne({ _id: ada.admin._id });
  expect(admin?.passwordHash).toMatch(/^\$scrypt\$ln=12,r=8,p=1\$[^$]{22}\$[^$]{43}$/);
});

/** Creates an admin whose password is hashed at a lower cost than the current one. */
async function makeWithOldHash(email: string) {
  const password = 'an old password';
  const { _id } = await createAdmin(service.store, { email, password, superuser: false });
  const salt = Buffer.alloc(16, 7);
  const hash = scryptSync(password, salt, 32, { N: 2 ** 10, r: 8, p: 1 });
  const text = (bytes: Buffer) => bytes.toString('base64').replace(/=+$/, '');
  const passwordHash = `$scrypt$ln=10,r=8,p=1$${text(salt)}$${text(hash)}`;
  await service.store.admins.updateOne({ _id }, { $set: { passwordHash } });
  const storedHash = async () => (await service.store.admins.findOne({ _id }))?.passwordHash;
  return { email, password, storedHash };
}

test('a password hashed at a lower cost is accepted, and rehashed at the current cost', async () => {
  const { email, password, storedHash } = await makeWithOldHash('old-hash@example.com');
  expect((await post({ email, password })).status).toBe(200);
  expect(await storedHash()).toMatch(/^\$scrypt\$ln=12,/);
  expect((await post({ email, password })).status).toBe(200);
});

test('when too many wait for a hash, the sign-in succeeds and the rehash is left for later', async () => {
  const { email, password, storedHash } = await makeWithOldHash('old-hash-in-a-crowd@example.com');
  currentCost.log2N = 17;
  const over = new AbortController();
  const hashAgainAndAgain = async (): Promise<void> => {
    while (!over.signal.aborted) await hashPassword('another password');
  };
  // One that runs, and the three that may wait for new passwords.
  const crowd = Array.from({ length: 4 }, hashAgainAndAgain);
  try {
    expect((await post({ email, password })).status).toBe(200);
    expect(await storedHash()).toMatch(/^\$scrypt\$ln=10,/);
  } finally {
    over.abort();
    await Promise.all(crowd);
  }
  expect((await post({ email, password })).status).toBe(200);
  expect(await storedHash()).toMatch(/^\$scrypt\$ln=17,/);
}, 120_000);

test('an admin without a password cannot sign in with any password', async () => {
  const email = 'oidc-only@example.com';
  await createAdmin(service.store, { email, password: null, superuser: false });
  expectProblem(await post({ email, password: 'null null null' }), 401, 'sign_in_refused');
});

test('on plain http locally the cookies are Secure, without the prefix that requires https', async () => {
  await using local = await startService({
    worker: false,
    env: { HERALD_PUBLIC_URL: 'http://localhost:3000' },
  });
  const admin = await makeTestAdmin(local);
  const { answer } = await signIn(local, admin);
  const cookies = answer.headers.getSetCookie();
  expect(cookies.map((cookie) => cookie.split('=')[0])).toEqual(['herald_admin', 'herald_device']);
  for (const cookie of cookies)
    expect(cookie).toContain('HttpOnly; SameSite=Strict; Path=/; Secure');
  expect((await admin.call('GET', '/session')).status).toBe(200);
});

test('two session cookies get 400, and API keys and sessions are not accepted in place of each other', async () => {
  const cookie = `${ada.headers['cookie']}; ${ada.headers['cookie']}`;
  const twice = await service.raw('GET', '/admin/api/session', { headers: { cookie } });
  expectProblem(twice, 400, 'credentials_conflict');
  const headers = { 'x-api-key': service.app.apiKey };
  expectProblem(await service.raw('GET', '/admin/api/session', { headers }), 401, 'not_signed_in');
  expectProblem(
    await service.call('GET', '/webhooks', { headers: ada.headers }),
    401,
    'unauthenticated',
  );
});

test.each(['', 'x', 'a'.repeat(43), 'a'.repeat(44), '"'])(
  'the malformed session %j is refused',
  async (token) => {
    const headers = { cookie: `__Host-herald_admin=${token}` };
    expectProblem(
      await service.raw('GET', '/admin/api/session', { headers }),
      401,
      'not_signed_in',
    );
  },
);

async function signInAs(userAgent: string, { email, password }: TestAdmin) {
  const body = { email, password };
  const headers = { 'user-agent': userAgent };
  const answer = await service.raw('POST', '/admin/api/session', { headers, body });
  expect(answer.status).toBe(200);
  const cookie = answer.headers.getSetCookie()[0]?.split(';')[0] ?? '';
  return { cookie, 'x-csrf-token': String(answer.body['csrfToken']) };
}

async function sessionsOf(headers: Record<string, string>, query = '') {
  return itemsOf(await service.raw('GET', `/admin/api/sessions${query}`, { headers }));
}

test('admins see their own sessions, newest first, and which one made the call', async () => {
  const ada = await makeTestAdmin(service);
  await makeTestAdmin(service);
  const headers = await signInAs('Mozilla/5.0 (X11)', ada);
  const sessions = await sessionsOf(headers);
  expect(sessions).toMatchObject([
    { current: true, userAgent: 'Mozilla/5.0 (X11)', address: expect.stringMatching(/127.0.0.1$/) },
    { current: false, userAgent: null, address: null },
  ]);
  const fields = ['address', 'createdAt', 'current', 'expiresAt', 'lastUsedAt', 'uid', 'userAgent'];
  expect(Object.keys(sessions[0] ?? {}).toSorted()).toEqual(fields);
  expect(sessions[0]?.['uid']).toMatch(/^ses_/);
});

test("no response and no audit row contains anything that identifies a session's cookie", async () => {
  const ada = await makeTestAdmin(service);
  const { answer, headers } = await signIn(service, ada);
  const [stored] = await service.store.adminSessions
    .find({ adminUid: ada.admin._id })
    .sort({ _id: -1 })
    .toArray();
  const listed = await service.raw('GET', '/admin/api/sessions', { headers });
  await service.raw('DELETE', '/admin/api/session', { headers });
  const rows = await service.store.auditLog.find({ 'target.uid': ada.admin._id }).toArray();
  const texts = [answer.text, listed.text, JSON.stringify(rows)];
  for (const text of texts) expect(text).not.toContain(stored?.tokenHash ?? 'nothing');
});

test.each([
  ['Agent\u00e9\u0007\u00ff1', 'Agent 1'],
  ['a'.repeat(2_000), 'a'.repeat(256)],
  ['\u00e9', null],
])(
  "the browser's description of itself is stored cleaned and truncated: %j",
  async (given, kept) => {
    const ada = await makeTestAdmin(service);
    const headers = await signInAs(given.replace('\u0007', '\t'), ada);
    expect(await sessionsOf(headers, '?limit=1')).toMatchObject([{ userAgent: kept }]);
  },
);

test('sessions that are over are not listed', async () => {
  const ada = await makeTestAdmin(service);
  const { headers } = await signIn(service, ada);
  const idle = { $set: { lastUsedAt: new Date(Date.now() - 3_600_000) } };
  const oldest = { adminUid: ada.admin._id, userAgent: null };
  await service.store.adminSessions.updateOne(oldest, idle);
  expect(await sessionsOf(headers)).toMatchObject([{ current: true }]);
});

test('ending another session ends only that one, and leaves a row', async () => {
  const ada = await makeTestAdmin(service);
  const { headers } = await signIn(service, ada);
  const other = (await sessionsOf(headers)).find(({ current }) => !current)?.['uid'];
  const path = `/admin/api/sessions/${String(other)}`;
  const ended = await service.raw('DELETE', path, { headers });
  expect(ended.status).toBe(204);
  expect(ended.headers.getSetCookie()).toEqual([]);
  expectProblem(await ada.call('GET', '/session'), 401, 'not_signed_in');
  expect(await sessionsOf(headers)).toMatchObject([{ current: true }]);
  expectProblem(await service.raw('DELETE', path, { headers }), 404, 'not_found');
  const row = { action: 'admin.session_ended', 'target.uid': ada.admin._id };
  expect(await service.store.auditLog.find(row).toArray()).toMatchObject([
    { details: { sessionUid: other } },
  ]);
});

test('ending the session of the call signs out', async () => {
  const ada = await makeTestAdmin(service);
  const [session] = itemsOf(await ada.call('GET', '/sessions'));
  const ended = await ada.call('DELETE', `/sessions/${String(session?.['uid'])}`);
  expect(ended.status).toBe(204);
  expect(ended.headers.getSetCookie()).toEqual([expect.stringMatching(/herald_admin=; Max-Age=0/)]);
  expectProblem(await ada.call('GET', '/session'), 401, 'not_signed_in');
});

test("another admin's session cannot be ended, not even by a superuser", async () => {
  const ada = await makeTestAdmin(service);
  const superuser = await makeTestAdmin(service, { superuser: true });
  const [session] = itemsOf(await ada.call('GET', '/sessions'));
  const path = `/sessions/${String(session?.['uid'])}`;
  expectProblem(await superuser.call('DELETE', path), 404, 'not_found');
  expect((await ada.call('GET', '/session')).status).toBe(200);
});
