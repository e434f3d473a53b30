// An admin's own sessions: listing them and ending them.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { makeTestAdmin, signIn, type TestAdmin } from '../../support/admin-client.ts';
import { startService, type TestService } from '../../support/service.ts';
import { expectProblem, itemsOf } from '../api/problems.ts';

let service: TestService;

beforeAll(async () => {
  service = await startService({ worker: false });
});

afterAll(async () => {
  await service?.[Symbol.asyncDispose]();
});

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

test('of two concurrent ends of a session one gets 204, with one row', async () => {
  const ada = await makeTestAdmin(service);
  const { headers } = await signIn(service, ada);
  const other = (await sessionsOf(headers)).find(({ current }) => !current)?.['uid'];
  for (const [path, status, code] of [
    [`/admin/api/sessions/${String(other)}`, 404, 'not_found'],
    ['/admin/api/session', 401, 'not_signed_in'],
  ] as const) {
    const end = () => service.raw('DELETE', path, { headers });
    const [one, two] = await Promise.all([end(), end()]);
    const [ended, late] = one.status === 204 ? [one, two] : [two, one];
    expect(ended.status).toBe(204);
    expectProblem(late, status, code);
  }
  const rows = await service.store.auditLog
    .find({ 'target.uid': ada.admin._id, action: /ended|signed_out/ })
    .sort({ _id: 1 })
    .toArray();
  expect(rows.map(({ action }) => action)).toEqual(['admin.session_ended', 'admin.signed_out']);
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
