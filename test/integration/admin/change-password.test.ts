// Changing a password requires the old one, checks the new one, and ends all other sessions.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openSession } from '../../../api/admin/session/open-session.ts';
import { passwordFault } from '../../../lib/access/password-rules.ts';
import { createAdmin } from '../../../lib/access/create-admin.ts';
import { makeTestAdmin, sessionHeaders, signIn } from '../../support/admin-client.ts';
import { startService, type TestService } from '../../support/service.ts';
import { expectProblem, faultsOf } from '../api/problems.ts';

let service: TestService;

beforeAll(async () => {
  service = await startService({ worker: false });
});

afterAll(async () => {
  await service?.[Symbol.asyncDispose]();
});

test("after the change only the new password is accepted, and only the caller's new session remains", async () => {
  const ada = await makeTestAdmin(service);
  const other = await signIn(service, ada);
  const newPassword = 'another correct horse';
  const body = { currentPassword: ada.password, newPassword };
  const changed = await ada.call('POST', '/password', { body });
  expect(changed.status).toBe(200);
  for (const headers of [ada.headers, other.headers]) {
    const ended = await service.raw('GET', '/admin/api/session', { headers });
    expectProblem(ended, 401, 'not_signed_in');
  }
  const headers = sessionHeaders(changed);
  const who = await service.raw('GET', '/admin/api/session', { headers });
  expect(who.body).toEqual(changed.body);
  expect((await service.raw('DELETE', '/admin/api/session', { headers })).status).toBe(204);
  expectProblem((await signIn(service, ada)).answer, 401, 'sign_in_refused');
  const again = await signIn(service, { email: ada.email, password: newPassword });
  expect(again.answer.status).toBe(200);
});

test('a sign-in that checked the old password before the change gets no session after it', async () => {
  const ada = await makeTestAdmin(service);
  const body = { currentPassword: ada.password, newPassword: 'another correct horse' };
  await ada.call('POST', '/password', { body });
  const actor = { kind: 'anonymous', uid: null } as const;
  const caller = { actor, address: null, requestId: null };
  const before = await service.store.adminSessions.countDocuments({});
  const opening = {
    admin: ada.admin,
    caller,
    method: 'password',
    endedHashes: [],
    rawHeaders: [],
  } as const;
  expect(await openSession(service.context, opening)).toBeNull();
  expect(await service.store.adminSessions.countDocuments({})).toBe(before);
});

test('without the current password nothing changes, and guesses are throttled', async () => {
  const ada = await makeTestAdmin(service);
  const body = { currentPassword: 'a wrong password', newPassword: 'another correct horse' };
  for (let i = 0; i < 5; i += 1) {
    const answer = await ada.call('POST', '/password', { body });
    expectProblem(answer, 422, 'password_refused');
    expect(faultsOf(answer)).toEqual(['#/currentPassword password_wrong']);
  }
  // The waits double, so on any machine one of the next guesses is too early.
  let answer = await ada.call('POST', '/password', { body });
  for (let i = 0; i < 4 && answer.status === 422; i += 1) {
    answer = await ada.call('POST', '/password', { body });
  }
  expectProblem(answer, 429, 'too_many_sign_ins');
});

const length = /must have 12 to 128 characters/;
const uniform = /must have at least 5 different characters/;
const common = /is one of the most common passwords/;

test.each([
  ['abcdeabcdea', length],
  ['abcdeabcdeab', 'taken'],
  ['abcde '.repeat(25).slice(0, 128), 'taken'],
  ['abcde '.repeat(25).slice(0, 129), length],
  // Characters are counted, not bytes or UTF-16 units.
  ['😀😁😂😃😄'.repeat(3).slice(0, 22), length],
  ['😀😁😂😃😄'.repeat(26).slice(0, 256), 'taken'],
  // Composed and decomposed, these are one character in NFKC.
  ['üöäßé'.normalize('NFD').repeat(3).slice(0, 20), length],
  [' '.repeat(12), uniform],
  ['abcdabcdabcd', uniform],
  ['ａaｂbcdabcdabcd', uniform],
  ['qwerty123456', common],
  ['Password1234', common],
  ['qwerty1234567 is mine', 'taken'],
])('the result for the password %j is: %s', (newPassword, verdict) => {
  expect(passwordFault(newPassword, 'ada@example.com')?.detail ?? 'taken').toMatch(verdict);
});

test('passwords that differ only in their last character are different', async () => {
  const [email, password] = ['long@example.com', `${'long '.repeat(25)}a`];
  await createAdmin(service.store, { email, password, superuser: false });
  const wrong = await signIn(service, { email, password: `${'long '.repeat(25)}b` });
  expectProblem(wrong.answer, 401, 'sign_in_refused');
  expect((await signIn(service, { email, password })).answer.status).toBe(200);
});

test('a new password that breaks a rule is refused with the code of the rule', async () => {
  const ada = await makeTestAdmin(service);
  const refused = [
    ['too short', 'password_length'],
    ['too long '.repeat(15), 'password_length'],
    ['x'.repeat(12), 'password_too_uniform'],
    [ada.email, 'password_is_email'],
    [ada.email.toUpperCase(), 'password_is_email'],
    ['1qaz2wsx3edc', 'password_common'],
  ] as const;
  for (const [newPassword, code] of refused) {
    const body = { currentPassword: ada.password, newPassword };
    const answer = await ada.call('POST', '/password', { body });
    expectProblem(answer, 422, 'password_refused');
    expect(faultsOf(answer)).toEqual([`#/newPassword ${code}`]);
    expect(answer.text).not.toContain(newPassword);
  }
  const empty = await ada.call('POST', '/password', { body: {} });
  expectProblem(empty, 400, 'invalid_request');
  expect(faultsOf(empty)).toEqual(['#/currentPassword required', '#/newPassword required']);
});

test('the part of the email before the @ is rejected as a password', async () => {
  const email = 'ada.lovelace.jr@example.com';
  const make = (password: string) =>
    createAdmin(service.store, { email, password, superuser: false });
  await expect(make('Ada.Lovelace.jr')).rejects.toThrow('must not be the email address');
  expect((await make('Ada.Lovelace.jr.')).email).toBe(email);
});
