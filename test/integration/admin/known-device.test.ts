// Known browsers and changed passwords: guesses from the same address do not delay a browser in which an admin has signed
// in before; a change requires the old password, checks the new one, and ends all other sessions.
import { openSession } from '../../../api/admin/session/open-session.ts';
import { passwordFault } from '../../../lib/access/password-rules.ts';
import { verifyPassword } from '../../../lib/access/password.ts';
import { createAdmin, resetPassword, unlinkAdmin } from '../../../lib/access/create-admin.ts';
import { beginSignInAttempt } from '../../../lib/access/sign-in-throttle.ts';
import {
  makeTestAdmin,
  sessionHeaders,
  signIn as openSessionOf,
  type TestAdmin,
} from '../../support/admin-client.ts';
import type { Answer } from '../../support/api-client.ts';
import { useService } from '../../support/use-service.ts';
import { expectProblem, faultsOf } from '../api/problems.ts';

let ada: TestAdmin;
let now = new Date();
const service = useService({ worker: false, clock: { now: () => now } });

beforeEach(async () => {
  await service.store.signInThrottles.deleteMany({});
  ada = await makeTestAdmin(service);
});

interface SignIn {
  email?: string;
  password?: string;
  /** The cookie of a browser. */
  device?: string;
}

async function signIn({ email, password, device }: SignIn): Promise<Answer> {
  const body = { email: email ?? ada.email, password: password ?? ada.password };
  const headers = device === undefined ? {} : { cookie: device };
  return service.raw('POST', '/admin/api/session', { headers, body });
}

/** Returns the cookie of a response that makes the browser known. */
function deviceOf(answer: Pick<Answer, 'headers'>): string {
  const cookies = answer.headers.getSetCookie().map((cookie) => cookie.split(';')[0] ?? '');
  return cookies.find((cookie) => cookie.startsWith('__Host-herald_device=')) ?? '';
}

/** Returns a browser in which the admin has signed in. */
async function makeDevice(): Promise<string> {
  const answer = await signIn({});
  expect(answer.status).toBe(200);
  return deviceOf(answer);
}

/** Blocks the email at the shared address of all callers, like five guesses do. */
async function blockAddress(email = ada.email): Promise<void> {
  const guesser = { email, address: '127.0.0.1' };
  const pepper = service.config.keyPepper;
  for (let i = 0; i < 6; i += 1) await beginSignInAttempt(service.store, guesser, { pepper, now });
  expectProblem(await signIn({ email }), 429, 'too_many_sign_ins');
}

test('a known browser signs in while others at its address are blocked, and each sign-in renews its cookie', async () => {
  const device = await makeDevice();
  await blockAddress();
  const answer = await signIn({ device });
  expect(answer.status).toBe(200);
  expect(deviceOf(answer)).not.toBe(device);
  expect((await signIn({ device: deviceOf(answer) })).status).toBe(200);
  expectProblem(await signIn({}), 429, 'too_many_sign_ins');
});

test('five wrong passwords block a known browser and no other client', async () => {
  const device = await makeDevice();
  const other = deviceOf(await signIn({}));
  for (let i = 0; i < 5; i += 1) {
    const wrong = await signIn({ device, password: 'a guess' });
    expectProblem(wrong, 401, 'sign_in_refused');
    expect(wrong.headers.getSetCookie()).toEqual([]);
  }
  const answer = await signIn({ device });
  expectProblem(answer, 429, 'too_many_sign_ins');
  expect(answer.headers.get('retry-after')).toBe('1');
  expect((await signIn({ device: other })).status).toBe(200);
  expect((await signIn({})).status).toBe(200);
});

/** Keeps as many password checks running as strangers at these addresses may. Returns the function that stops them. */
function crowd(groupOf: (n: number) => string): () => Promise<void> {
  const over = new AbortController();
  const guess = async (n: number): Promise<void> => {
    const queue = { queue: 'anyone', group: groupOf(n) } as const;
    while (!over.signal.aborted) await verifyPassword('a guess', null, queue);
  };
  // Those that find their share of the queue taken are refused.
  const guesses = Promise.allSettled(Array.from({ length: 18 }, (_, n) => guess(n)));
  return async () => {
    over.abort();
    await guesses;
  };
}

test('strangers at one address do not keep an admin at another from signing in', async () => {
  const disperse = crowd(() => 'one address');
  try {
    expect((await signIn({})).status).toBe(200);
  } finally {
    await disperse();
  }
}, 120_000);

test('a known browser signs in despite a crowd of strangers, whose rejected attempts do not count as guesses', async () => {
  const device = await makeDevice();
  const disperse = crowd((n) => `address ${n}`);
  try {
    for (let i = 0; i < 6; i += 1) expectProblem(await signIn({}), 503, 'overloaded');
    expect((await signIn({ device })).status).toBe(200);
  } finally {
    await disperse();
  }
  expect((await signIn({})).status).toBe(200);
}, 120_000);

test("a device cookie that is another admin's, altered, sent twice or too old is ignored", async () => {
  const device = await makeDevice();
  const mallory = await makeTestAdmin(service);
  const { email, password } = mallory;
  const theirs = deviceOf(await signIn({ email, password }));
  await blockAddress();
  const changed = device.slice(0, -8) + (device.at(-8) === 'A' ? 'B' : 'A') + device.slice(-7);
  for (const cookie of [theirs, changed, `${device}; ${device}`, '__Host-herald_device=x']) {
    expectProblem(await signIn({ device: cookie }), 429, 'too_many_sign_ins');
  }
  now = new Date(now.getTime() + 180 * 24 * 60 * 60_000 - 3_600_000);
  await blockAddress();
  expect((await signIn({ device })).status).toBe(200);
  now = new Date(now.getTime() + 3_600_000);
  await blockAddress();
  expectProblem(await signIn({ device }), 429, 'too_many_sign_ins');
});

test.each([
  [
    'a sign-out everywhere',
    async () => {
      const headers = sessionHeaders(await signIn({}));
      expect((await service.raw('DELETE', '/admin/api/sessions', { headers })).status).toBe(204);
    },
  ],
  ['a reset of the password', () => resetPassword(service.store, ada)],
  [
    'an unlinking',
    async () => {
      const identity = { issuer: 'https://provider.example', subject: ada.email };
      await service.store.admins.updateOne({ _id: ada.admin._id }, { $set: { identity } });
      await unlinkAdmin(service.store, ada);
    },
  ],
])('%s makes every browser of the admin unknown', async (_name, forget) => {
  const device = await makeDevice();
  await forget();
  await blockAddress();
  expectProblem(await signIn({ device }), 429, 'too_many_sign_ins');
});

test('signing out keeps the device cookie, signing out everywhere removes it', async () => {
  const taken = async (path: string): Promise<string[]> => {
    await makeDevice();
    const headers = sessionHeaders(await signIn({}));
    const answer = await service.raw('DELETE', `/admin/api${path}`, { headers });
    return answer.headers.getSetCookie().map((cookie) => cookie.split('; Max-Age=0')[0] ?? '');
  };
  expect(await taken('/session')).toEqual(['__Host-herald_admin=']);
  expect(await taken('/sessions')).toEqual(['__Host-herald_admin=', '__Host-herald_device=']);
});

test('a known browser can change the password while its address is blocked, and all others become unknown', async () => {
  const [device, other] = [await makeDevice(), deviceOf(await signIn({}))];
  const headers = sessionHeaders(await signIn({}));
  await blockAddress();
  const body = { currentPassword: ada.password, newPassword: 'another correct horse' };
  const change = (cookie: string): Promise<Answer> =>
    service.raw('POST', '/admin/api/password', { headers: { ...headers, cookie }, body });
  expectProblem(await change(headers['cookie'] ?? ''), 429, 'too_many_sign_ins');
  const changed = await change(`${headers['cookie']}; ${device}`);
  expect(changed.status).toBe(200);
  const password = body.newPassword;
  expect((await signIn({ password, device: deviceOf(changed) })).status).toBe(200);
  for (const old of [device, other]) {
    expectProblem(await signIn({ password, device: old }), 429, 'too_many_sign_ins');
  }
});

test('the device cookie does not identify the admin', async () => {
  const device = await makeDevice();
  const bytes = Buffer.from(device.split('.')[1] ?? '', 'base64').toString('latin1');
  for (const text of [ada.email, ada.admin._id]) expect(device + bytes).not.toContain(text);
});

test("after the change only the new password is accepted, and only the caller's new session remains", async () => {
  const other = await openSessionOf(service, ada);
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
  expectProblem((await openSessionOf(service, ada)).answer, 401, 'sign_in_refused');
  const again = await openSessionOf(service, { email: ada.email, password: newPassword });
  expect(again.answer.status).toBe(200);
});

test('a sign-in that checked the old password before the change gets no session after it', async () => {
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
  const wrong = await openSessionOf(service, { email, password: `${'long '.repeat(25)}b` });
  expectProblem(wrong.answer, 401, 'sign_in_refused');
  expect((await openSessionOf(service, { email, password })).answer.status).toBe(200);
});

test('a new password that breaks a rule is refused with the code of the rule', async () => {
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
